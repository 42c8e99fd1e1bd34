//! SHA-256 after FIPS 180-4: witnesses and records of runs name files by it.

/// The first 32 bits of the fractional parts of roots of the first primes, computed exactly:
/// cube roots are the constants of the rounds, square roots the first state.
fn root_bits(prime: u64, degree: u32) -> u32 {
    // The largest r with r^degree <= prime * 2^(32 * degree), by bisection; r < 2^36.
    let (mut low, mut high) = (0_u128, 1_u128 << 36);
    while high - low > 1 {
        let middle = (low + high) / 2;
        let fits = match degree {
            2 => middle * middle <= (prime as u128) << 64,
            _ => middle * middle * middle <= (prime as u128) << 96,
        };
        if fits {
            low = middle;
        } else {
            high = middle;
        }
    }
    low as u32
}

fn primes(count: usize) -> Vec<u64> {
    let is_prime = |n: &u64| (2..*n).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    (2..).filter(is_prime).take(count).collect()
}

/// The hash of some bytes, in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    let primes = primes(64);
    let rounds: Vec<u32> = primes.iter().map(|&p| root_bits(p, 3)).collect();
    let mut state: Vec<u32> = primes[..8].iter().map(|&p| root_bits(p, 2)).collect();
    let mut message = bytes.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend((bytes.len() as u64 * 8).to_be_bytes());
    for block in message.chunks(64) {
        compress(&mut state, block, &rounds);
    }
    state.iter().map(|word| format!("{word:08x}")).collect()
}

fn compress(state: &mut [u32], block: &[u8], rounds: &[u32]) {
    let word = |four: &[u8]| four.iter().fold(0, |word, &byte| word << 8 | byte as u32);
    let mut w = [0_u32; 64];
    w.iter_mut().zip(block.chunks(4)).for_each(|(w, four)| *w = word(four));
    for i in 16..64 {
        let (a, b) = (w[i - 15], w[i - 2]);
        let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
        let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
        w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] =
        <[u32; 8]>::try_from(&*state).expect("eight words");
    for i in 0..64 {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = e & f ^ !e & g;
        let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(rounds[i]).wrapping_add(w[i]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = a & b ^ a & c ^ b & c;
        let t2 = s0.wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(t1));
        (d, c, b, a) = (c, b, a, t1.wrapping_add(t2));
    }
    for (word, value) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(value);
    }
}

#[cfg(test)]
mod tests {
    use super::sha256;

    /// The examples of the standard.
    #[test]
    fn published_values() {
        for (text, hash) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ] {
            assert_eq!(sha256(text.as_bytes()), hash);
        }
    }
}
