//! The layout of structs and unions, as gcc has it on x86.

use super::{IntType, LARGEST, Member, RecordId, Ty, Type, Types};
use crate::ast::{Align, Placing};
use crate::token::Name;

/// A member that has no place yet.
#[derive(Copy, Clone, Debug)]
pub struct Field {
    /// Its name; none if it is an anonymous struct or union, or padding.
    pub name: Option<Name>,
    /// Its type.
    pub ty: Ty,
    /// It is a bit-field of this many bits.
    pub bits: Option<u32>,
    /// What attributes say of where it lies.
    pub placing: Placing,
}

/// Where the next member goes.
struct Cursor {
    /// The first bit after the last member.
    end: u64,
    align: u64,
    /// The run of bit-fields that is being laid out: its first member.
    run: Option<usize>,
}

/// Why a struct is refused.
const OTHER_ALIGN: &str = "an alignment of this kind";

/// The least alignment that attributes ask for, if it is known.
fn bytes(placing: Placing) -> Option<u64> {
    match placing.align {
        None => Some(1),
        Some(Align::Bytes(bytes)) => Some(bytes),
        Some(Align::Other) => None,
    }
}

impl Types {
    /// Gives a record its members and lays them out. A member of unknown size makes the size of
    /// the record unknown too: its members stay unknown.
    pub fn complete(&mut self, id: RecordId, fields: Vec<Field>, placing: Placing) {
        let is_union = self.record(id).is_union;
        let Some(align) = bytes(placing) else {
            self.records[id.0 as usize].refused = Some(OTHER_ALIGN);
            return;
        };
        let mut cursor = Cursor { end: 0, align, run: None };
        let mut largest = 0;
        let mut placed: Vec<Member> = Vec::new();
        for field in fields {
            if is_union {
                cursor.end = 0;
                cursor.run = None;
            }
            let is_packed = placing.is_packed || field.placing.is_packed;
            let is_limited = placing.most.zip(self.align(field.ty)).is_some_and(|(m, a)| m < a);
            let has_both = placing.most.is_some() || field.bits.is_some();
            let fits = match (field.bits, self.get(field.ty).clone()) {
                _ if field.placing.align.is_some() && has_both => Err(Some(OTHER_ALIGN)),
                (Some(_), _) if is_limited => Err(Some("a bit-field under `#pragma pack`")),
                (Some(bits), Type::Int(int)) => {
                    self.place_bits(&mut cursor, &mut placed, field, (int, bits), is_packed)
                }
                (Some(_), _) => Err(Some("a bit-field of this type")),
                (None, _) => {
                    let most = if is_packed { 1 } else { placing.most.unwrap_or(u64::MAX) };
                    self.place(&mut cursor, &mut placed, field, most)
                }
            };
            largest = largest.max(cursor.end.div_ceil(8));
            if let Err(refused) = fits {
                self.records[id.0 as usize].refused = refused;
                return;
            }
            if largest > LARGEST {
                self.records[id.0 as usize].refused = Some("a struct of this size");
                return;
            }
        }
        let record = &mut self.records[id.0 as usize];
        record.members = Some(placed);
        record.size = largest.next_multiple_of(cursor.align);
        record.align = cursor.align;
    }

    /// A member that is aligned to at most this many bytes, but for what attributes ask for. Why it
    /// has no place, if it is known.
    fn place(
        &self,
        cursor: &mut Cursor,
        placed: &mut Vec<Member>,
        Field { name, ty, placing, .. }: Field,
        most: u64,
    ) -> Result<(), Option<&'static str>> {
        // A flexible array member at the end has no size of its own.
        let is_flexible = matches!(self.get(ty), Type::Array(_, None));
        let size = if is_flexible { Some(0) } else { self.size(ty) };
        let (Some(size), Some(align)) = (size, self.align(ty)) else {
            return Err(self.refused(ty));
        };
        let least = bytes(placing).ok_or(Some(OTHER_ALIGN))?;
        let align = align.min(most).max(least);
        let offset = cursor.end.div_ceil(8).next_multiple_of(align);
        placed.push(Member { name, ty, offset, bit: 0, run: None });
        cursor.end = offset.saturating_add(size).saturating_mul(8);
        cursor.align = cursor.align.max(align);
        cursor.run = None;
        Ok(())
    }

    /// A bit-field goes behind the last one, unless it would lie in two units of its type.
    fn place_bits(
        &mut self,
        cursor: &mut Cursor,
        placed: &mut Vec<Member>,
        Field { name, .. }: Field,
        (int, bits): (IntType, u32),
        is_packed: bool,
    ) -> Result<(), Option<&'static str>> {
        let unit = u64::from(int.bits(self.model));
        let int_ty = self.int(int);
        // A field without bits aligns what follows even where all is packed.
        let natural = self.align(int_ty).unwrap_or(1);
        let align = if is_packed && bits > 0 { 1 } else { natural };
        // gcc computes with wider ones in types of just their width.
        if u64::from(bits) > unit || bits > 32 {
            return Err(Some("a bit-field of this width"));
        }
        // Units may begin wherever their type may lie, which is twice in one for `long long` on
        // ILP32.
        let step = 8 * align;
        let parts = (cursor.end % step + u64::from(bits)).div_ceil(step);
        if bits == 0 || !is_packed && parts > unit / step {
            cursor.end = cursor.end.next_multiple_of(8 * align);
            cursor.run = None;
        }
        let Some(name) = name.filter(|_| bits > 0) else {
            cursor.end += u64::from(bits);
            return Ok(());
        };
        let first = *cursor.run.get_or_insert(placed.len());
        let start = match placed.get(first) {
            Some(member) => member.offset,
            None => cursor.end / 8,
        };
        let bit = (cursor.end - 8 * start) as u32;
        cursor.end += u64::from(bits);
        cursor.align = cursor.align.max(align);
        let ty = self.make(Type::Bits(int, bits));
        placed.push(Member { name: Some(name), ty, offset: start, bit, run: None });
        placed[first].run = Some(cursor.end.div_ceil(8) - start);
        Ok(())
    }
}
