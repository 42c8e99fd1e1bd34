//! Types, their sizes and the conversions between them, for the two data models.
//!
//! Plain `char` is signed. An enumeration has the type `unsigned int`, or `int` if one of its
//! values is negative, as gcc has it.

mod records;
mod variable;

pub use records::Field;
pub use variable::{VARIABLE, VARIABLE_BYTES};

use crate::token::Name;
use rustc_hash::FxHashMap;

/// The sizes of `long` and of pointers.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits.
    #[default]
    Ilp32,
    /// `int` has 32 bits; `long` and pointers have 64.
    Lp64,
}

impl DataModel {
    /// Both.
    const ALL: [DataModel; 2] = [DataModel::Ilp32, DataModel::Lp64];

    /// As witnesses and tasks name it.
    pub fn name(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<DataModel> {
        DataModel::ALL.into_iter().find(|model| model.name() == name)
    }

    /// The size of a pointer, in bytes.
    pub fn pointer_bytes(self) -> u64 {
        match self {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        }
    }

    /// The alignment of `long long`, in bytes. Inside a struct gcc aligns it to 4 on 32 bits.
    fn long_long_align(self) -> u64 {
        match self {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        }
    }
}

/// The integer types but `_Bool`, by rank.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum IntType {
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
}

impl IntType {
    /// Whether it has a sign.
    pub fn is_signed(self) -> bool {
        use IntType::*;
        !matches!(
            self,
            UnsignedChar | UnsignedShort | UnsignedInt | UnsignedLong | UnsignedLongLong
        )
    }

    /// The rank of C11 6.3.1.1.
    fn rank(self) -> u8 {
        use IntType::*;
        match self {
            Char | SignedChar | UnsignedChar => 1,
            Short | UnsignedShort => 2,
            Int | UnsignedInt => 3,
            Long | UnsignedLong => 4,
            LongLong | UnsignedLongLong => 5,
        }
    }

    /// The unsigned type of the same rank.
    pub fn to_unsigned(self) -> IntType {
        use IntType::*;
        match self.rank() {
            1 => UnsignedChar,
            2 => UnsignedShort,
            3 => UnsignedInt,
            4 => UnsignedLong,
            _ => UnsignedLongLong,
        }
    }

    /// The size in bytes.
    pub fn bytes(self, model: DataModel) -> u64 {
        match self.rank() {
            1 => 1,
            2 => 2,
            3 => 4,
            4 => model.pointer_bytes(),
            _ => 8,
        }
    }

    /// The size in bits.
    pub fn bits(self, model: DataModel) -> u32 {
        8 * self.bytes(model) as u32
    }

    /// The integer promotions of C11 6.3.1.1: all types below `int` fit in it.
    pub fn promoted(self) -> IntType {
        if self.rank() < 3 { IntType::Int } else { self }
    }

    /// The usual arithmetic conversions of C11 6.3.1.8.
    pub fn common(self, other: IntType, model: DataModel) -> IntType {
        let (a, b) = (self.promoted(), other.promoted());
        if a.is_signed() == b.is_signed() {
            return if a.rank() >= b.rank() { a } else { b };
        }
        let (signed, unsigned) = if a.is_signed() { (a, b) } else { (b, a) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if signed.bits(model) > unsigned.bits(model) {
            signed
        } else {
            signed.to_unsigned()
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        use IntType::*;
        match self {
            Char => "char",
            SignedChar => "signed char",
            UnsignedChar => "unsigned char",
            Short => "short",
            UnsignedShort => "unsigned short",
            Int => "int",
            UnsignedInt => "unsigned int",
            Long => "long",
            UnsignedLong => "unsigned long",
            LongLong => "long long",
            UnsignedLongLong => "unsigned long long",
        }
    }
}

/// A type in its table; equal types have equal numbers.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Ty(u32);

/// A struct or union.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct RecordId(pub u32);

/// What a type is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Type {
    Void,
    Bool,
    Int(IntType),
    /// A bit-field of this many bits, at most 32; only members have such types.
    Bits(IntType, u32),
    Pointer(Ty),
    /// Without a length it is incomplete.
    Array(Ty, Option<u64>),
    Record(RecordId),
    Function {
        result: Ty,
        params: Vec<Ty>,
        is_variadic: bool,
        has_prototype: bool,
    },
    /// An array of a parameter's type whose length is the value of an object, by number, where the
    /// function begins. Only pointers to it are supported.
    Row(Ty, u32),
    /// A floating-point type of a size in bytes: refused where a value of it is used.
    Float(u64),
    /// A type that is not supported, by name: refused where a value of it is used.
    Refused(&'static str),
}

/// A member of a struct or union.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name; none if it is an anonymous struct or union, whose members are reached through it.
    pub name: Option<Name>,
    /// Its type.
    pub ty: Ty,
    /// Where it starts, in bytes; of a bit-field where the run of such starts in which it is.
    pub offset: u64,
    /// The first bit of a bit-field in its run.
    pub bit: u32,
    /// The size in bytes of the run of bit-fields that begins with this one.
    pub run: Option<u64>,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its name for messages, such as `struct point`.
    pub name: String,
    /// Whether it is a union.
    pub is_union: bool,
    /// The members, if they are known.
    pub members: Option<Vec<Member>>,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// A member is not supported: by name.
    pub refused: Option<&'static str>,
}

/// The largest type, in bytes.
const LARGEST: u64 = 1 << 40;

/// All types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    /// The data model.
    pub model: DataModel,
    types: Vec<Type>,
    numbers: FxHashMap<Type, Ty>,
    records: Vec<Record>,
}

impl Types {
    /// The types of no program.
    pub fn new(model: DataModel) -> Types {
        Types { model, types: Vec::new(), numbers: FxHashMap::default(), records: Vec::new() }
    }

    /// The number of a type.
    pub fn make(&mut self, ty: Type) -> Ty {
        if let Some(&found) = self.numbers.get(&ty) {
            return found;
        }
        let number = Ty(self.types.len() as u32);
        self.types.push(ty.clone());
        self.numbers.insert(ty, number);
        number
    }

    /// An integer type.
    pub fn int(&mut self, int: IntType) -> Ty {
        self.make(Type::Int(int))
    }

    /// A pointer type.
    pub fn pointer(&mut self, to: Ty) -> Ty {
        self.make(Type::Pointer(to))
    }

    /// What a type is.
    pub fn get(&self, ty: Ty) -> &Type {
        &self.types[ty.0 as usize]
    }

    /// The type of `sizeof`.
    pub fn size_type(&self) -> IntType {
        match self.model {
            DataModel::Ilp32 => IntType::UnsignedInt,
            DataModel::Lp64 => IntType::UnsignedLong,
        }
    }

    /// A new struct or union without members yet.
    pub fn new_record(&mut self, name: String, is_union: bool) -> RecordId {
        let id = RecordId(self.records.len() as u32);
        self.records.push(Record {
            name,
            is_union,
            members: None,
            size: 0,
            align: 1,
            refused: None,
        });
        id
    }

    /// A struct or union.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    /// The size in bytes; none if it is incomplete or not known to us.
    pub fn size(&self, ty: Ty) -> Option<u64> {
        match self.get(ty) {
            // GNU C: sizeof(void) and the size of a function are 1.
            Type::Void | Type::Function { .. } => Some(1),
            Type::Bool => Some(1),
            Type::Int(int) => Some(int.bytes(self.model)),
            Type::Pointer(_) => Some(self.model.pointer_bytes()),
            Type::Array(element, length) => {
                let size = self.size(*element)?.checked_mul((*length)?)?;
                (size <= LARGEST).then_some(size)
            }
            Type::Record(id) => self.record(*id).members.as_ref().map(|_| self.record(*id).size),
            Type::Float(size) => Some(*size),
            Type::Bits(..) | Type::Row(..) | Type::Refused(_) => None,
        }
    }

    /// The alignment in bytes.
    pub fn align(&self, ty: Ty) -> Option<u64> {
        match self.get(ty) {
            Type::Array(element, _) => self.align(*element),
            Type::Record(id) => self.record(*id).members.as_ref().map(|_| self.record(*id).align),
            Type::Int(IntType::LongLong | IntType::UnsignedLongLong) => {
                Some(self.model.long_long_align())
            }
            Type::Float(8) => Some(self.model.long_long_align()),
            Type::Float(12) => Some(4),
            _ => self.size(ty),
        }
    }

    /// The part of a type that is not supported, by name.
    pub fn refused(&self, mut ty: Ty) -> Option<&'static str> {
        while let Type::Array(element, _) = self.get(ty) {
            ty = *element;
        }
        match self.get(ty) {
            Type::Refused(name) => Some(name),
            Type::Row(..) => Some(VARIABLE),
            Type::Float(_) => Some("a floating-point type"),
            Type::Record(id) => self.record(*id).refused,
            _ => None,
        }
    }

    /// The width in bits of a value: an integer, a `_Bool` or a pointer.
    pub fn bits(&self, ty: Ty) -> Option<u32> {
        match self.get(ty) {
            Type::Bool | Type::Int(_) | Type::Pointer(_) => Some(8 * self.size(ty)? as u32),
            Type::Bits(_, bits) => Some(*bits),
            _ => None,
        }
    }

    /// Whether values have a sign.
    pub fn is_signed(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Int(int) | Type::Bits(int, _) if int.is_signed())
    }

    /// The integer type that a value has in arithmetic before promotion.
    pub fn as_int(&self, ty: Ty) -> Option<IntType> {
        match self.get(ty) {
            Type::Int(int) => Some(*int),
            Type::Bool => Some(IntType::UnsignedChar),
            // C11 6.3.1.1p2: an `int` if that holds all values.
            Type::Bits(int, bits) if *bits < 32 => {
                Some(if int.is_signed() { IntType::Int } else { IntType::UnsignedShort })
            }
            // In wider types gcc computes with just these bits.
            Type::Bits(int, _) => {
                Some(if int.is_signed() { IntType::Int } else { IntType::UnsignedInt })
            }
            _ => None,
        }
    }

    /// Whether it is an integer, a `_Bool` or a pointer.
    pub fn is_scalar(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Bool | Type::Int(_) | Type::Bits(..) | Type::Pointer(_))
    }

    /// What a pointer points to.
    pub fn pointee(&self, ty: Ty) -> Option<Ty> {
        match self.get(ty) {
            Type::Pointer(to) => Some(*to),
            _ => None,
        }
    }

    /// The type in words.
    pub fn name(&self, ty: Ty) -> String {
        // Pointers and arrays are peeled off iteratively; what is inside is named last.
        let (mut suffix, mut ty) = (String::new(), ty);
        loop {
            match self.get(ty) {
                Type::Pointer(to) => {
                    suffix.insert(0, '*');
                    ty = *to;
                }
                Type::Array(element, length) => {
                    let length = length.filter(|_| !self.is_variable_array(ty));
                    let length = length.map_or(String::new(), |length| length.to_string());
                    suffix.push_str(&format!("[{length}]"));
                    ty = *element;
                }
                Type::Row(element, _) => {
                    suffix.push_str("[]");
                    ty = *element;
                }
                Type::Function { result, .. } => {
                    suffix.push_str("()");
                    ty = *result;
                }
                _ => break,
            }
        }
        let base = match self.get(ty) {
            Type::Void => "void",
            Type::Bool => "_Bool",
            Type::Int(int) => int.name(),
            Type::Bits(..) => "a bit-field",
            Type::Record(id) => &self.record(*id).name,
            Type::Refused(name) => name,
            Type::Float(_) => "a floating-point type",
            Type::Pointer(_) | Type::Array(..) | Type::Row(..) | Type::Function { .. } => "",
        };
        if suffix.is_empty() { base.to_owned() } else { format!("{base} {suffix}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::Placing;

    /// The usual arithmetic conversions, as gcc 12 has them for `-m32` and `-m64`.
    #[test]
    fn conversions() {
        use IntType::*;
        for (a, b, ilp32, lp64) in [
            (Char, UnsignedShort, Int, Int),
            (Int, UnsignedInt, UnsignedInt, UnsignedInt),
            (Long, UnsignedInt, UnsignedLong, Long),
            (LongLong, UnsignedLong, LongLong, UnsignedLongLong),
            (LongLong, UnsignedInt, LongLong, LongLong),
            (UnsignedLong, Int, UnsignedLong, UnsignedLong),
            (Short, UnsignedLongLong, UnsignedLongLong, UnsignedLongLong),
        ] {
            for (model, common) in [(DataModel::Ilp32, ilp32), (DataModel::Lp64, lp64)] {
                assert_eq!(a.common(b, model), common, "{a:?} {b:?} {model:?}");
                assert_eq!(b.common(a, model), common, "{b:?} {a:?} {model:?}");
            }
        }
    }

    #[test]
    fn layout() {
        let mut types = Types::new(DataModel::Ilp32);
        let (char, short, int) =
            (types.int(IntType::Char), types.int(IntType::Short), types.int(IntType::Int));
        let record = types.new_record("struct s".into(), false);
        let fields = [char, int, short].map(|ty| Field {
            name: None,
            ty,
            bits: None,
            placing: Placing::default(),
        });
        types.complete(record, fields.into(), Placing::default());
        let ty = types.make(Type::Record(record));
        assert_eq!((types.size(ty), types.align(ty)), (Some(12), Some(4)));
        let offsets = types.record(record).members.iter().flatten().map(|member| member.offset);
        assert_eq!(offsets.collect::<Vec<_>>(), [0, 4, 8]);
        let array = types.make(Type::Array(ty, Some(3)));
        let pointer = types.pointer(array);
        assert_eq!(types.size(array), Some(36));
        assert_eq!(types.name(pointer), "struct s *[3]");
    }
}
