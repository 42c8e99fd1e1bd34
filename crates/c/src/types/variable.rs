//! Arrays whose length is known only when the program runs.

use super::{Ty, Type, Types};

/// What a type whose length is not constant is called.
pub const VARIABLE: &str = "a variable-length array";

/// How large an object of variable size can be, in bytes.
pub const VARIABLE_BYTES: u64 = 1 << 31;

impl Types {
    /// The array that stands for one whose length is known only when the program runs: as long as
    /// an object can be at all, half of 32 bits of addresses.
    pub fn variable_array(&mut self, element: Ty) -> Option<Ty> {
        let size = self.size(element).filter(|&size| size > 0)?;
        Some(self.make(Type::Array(element, Some(VARIABLE_BYTES / size))))
    }

    /// Whether it is such an array.
    pub fn is_variable_array(&self, ty: Ty) -> bool {
        match self.get(ty) {
            Type::Array(element, Some(length)) => {
                let size = self.size(*element).unwrap_or(0);
                size > 0 && *length == VARIABLE_BYTES / size
            }
            _ => false,
        }
    }
}
