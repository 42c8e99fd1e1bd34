//! The numbers of a model's properties: its safety properties first, then its justice sets.

use crate::Model;
use crate::bits::{BitSystem, name_at};
use crate::system::System;

/// A property, by its kind and its number among those of the kind.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Property {
    /// A bad, which must never be true.
    Bad(usize),
    /// A justice set, which must not be fulfilled for ever.
    Justice(usize),
}

impl std::fmt::Display for Property {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Property::Bad(index) => write!(f, "b{index}"),
            Property::Justice(index) => write!(f, "j{index}"),
        }
    }
}

fn property_of(number: usize, bads: usize) -> Property {
    match number.checked_sub(bads) {
        None => Property::Bad(number),
        Some(index) => Property::Justice(index),
    }
}

impl BitSystem {
    /// How many properties there are: safety properties and justice sets.
    pub fn num_properties(&self) -> usize {
        self.properties().len() + self.justice.len()
    }

    /// The property with this number.
    pub fn property(&self, number: usize) -> Property {
        property_of(number, self.properties().len())
    }

    /// The number of a justice set.
    pub fn justice_number(&self, index: usize) -> usize {
        self.properties().len() + index
    }
}

impl System {
    /// As [`BitSystem::num_properties`].
    pub fn num_properties(&self) -> usize {
        self.bads.len() + self.justice.len()
    }

    /// As [`BitSystem::property`].
    pub fn property(&self, number: usize) -> Property {
        property_of(number, self.bads.len())
    }

    /// As [`BitSystem::justice_number`].
    pub fn justice_number(&self, index: usize) -> usize {
        self.bads.len() + index
    }
}

impl Model {
    /// How many properties there are: safety properties and justice sets.
    pub fn num_properties(&self) -> usize {
        match self {
            Model::Bits(system) => system.num_properties(),
            Model::Words(system) => system.num_properties(),
        }
    }

    /// The property with this number.
    pub fn property(&self, number: usize) -> Property {
        match self {
            Model::Bits(system) => system.property(number),
            Model::Words(system) => system.property(number),
        }
    }

    /// The name that the model gives a property.
    pub fn property_name(&self, number: usize) -> Option<&str> {
        match (self, self.property(number)) {
            (Model::Bits(system), Property::Bad(index)) => system.property_name(index),
            (Model::Bits(system), Property::Justice(index)) => {
                name_at(&system.names.justice, index)
            }
            (Model::Words(system), Property::Bad(index)) => system.bads[index].name.as_deref(),
            (Model::Words(system), Property::Justice(index)) => {
                system.justice[index].name.as_deref()
            }
        }
    }
}
