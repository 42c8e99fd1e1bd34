//! demo
use crate::args::DemoArgs;
/// demo
pub fn run(_: &DemoArgs) -> anyhow::Result<i32> {
    Ok(0)
}
