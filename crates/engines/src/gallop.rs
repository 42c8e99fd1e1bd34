//! How far can a bound be moved? Shared by the engines on words and on programs.

/// The furthest value from `from` towards `end` that is accepted, as far as galloping and
/// bisection find it; `from` is. What is returned was accepted last.
pub(crate) fn gallop(
    from: i128,
    end: i128,
    direction: i128,
    mut accept: impl FnMut(i128) -> bool,
) -> i128 {
    if from == end || accept(end) {
        return end;
    }
    let distance = (end - from) * direction;
    let (mut good, mut stride) = (0, 1);
    while stride < distance && accept(from + stride * direction) {
        (good, stride) = (stride, stride * 2);
    }
    let mut bad = stride.min(distance);
    while good + 1 < bad {
        let middle = good + (bad - good) / 2;
        if accept(from + middle * direction) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    from + good * direction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn galloping_finds_the_edge() {
        for edge in 0..40 {
            assert_eq!(gallop(0, 100, 1, |v| v <= edge), edge);
            assert_eq!(gallop(0, -100, -1, |v| -v <= edge), -edge);
        }
        assert_eq!(gallop(3, 100, 1, |_| true), 100);
        assert_eq!(gallop(7, 7, 1, |_| false), 7);
    }
}
