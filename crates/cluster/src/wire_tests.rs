//! Messages are read back as they were written, and nonsense is refused.

use super::*;

#[test]
fn messages_are_read_back() {
    let left = vec![Left { property: 3, why: Why::Exhausted(7), safe: Some(6) }];
    let report = Report { task: 5, worker: "w".to_owned(), what: What::Done { left, cpu_ms: 12 } };
    assert_eq!(decode(&encode(&report)), Ok(report));
}

#[test]
fn another_version_is_refused_by_name() {
    let text = r#"{"wire":9,"pedra":"7.7\u001b","body":{}}"#;
    let error = decode::<Report>(text.as_bytes()).expect_err("another version");
    let shown = format!("a message of pedra 7.7 (wire 9), but this is pedra {PEDRA} (wire {WIRE})");
    assert_eq!(error.to_string(), shown);
    let text = r#"{"wire":9,"pedra":"7","body":{"job":"ab","id":4,"more":[]}}"#;
    let address = Address { job: "ab".to_owned(), id: 4 };
    assert_eq!(Address::of(text.as_bytes()), Some(address));
    assert_eq!(Address::of(br#"{"body":{"job":"a.>","id":4}}"#), None);
}

/// A lease about very many properties fits into a message of a server as it comes.
#[test]
fn a_lease_fits_into_a_message() {
    let mut lease = Lease { properties: 1_000_000, ..Lease::default() };
    (0..lease.properties).filter(|p| p % 3 != 1).for_each(|p| lease.settled.insert(p));
    let bytes = encode(&lease);
    assert!(bytes.len() < 1 << 20, "{} bytes", bytes.len());
    let read: Lease = decode(&bytes).expect("it was just written");
    assert!(read == lease && read.settled.contains(2) && !read.settled.contains(1));
    assert_eq!(read.settled.iter().take(3).collect::<Vec<_>>(), [0, 2, 3]);
    assert!(!read.settled.contains(usize::MAX));
    for text in ["\"0\"", "\"zz\"", "\"+1\"", "\"é\"", "3"] {
        assert!(serde_json::from_str::<Marks>(text).is_err(), "{text}");
    }
}

#[test]
fn nonsense_is_refused() {
    for text in ["", "{}", "[", "{\"wire\":3}", "{\"wire\":-1,\"pedra\":\"\"}"] {
        assert!(matches!(decode::<Task>(text.as_bytes()), Err(WireError::Malformed(_))));
    }
    let large = vec![b' '; MAX_MESSAGE + 1];
    assert_eq!(decode::<Task>(&large), Err(WireError::TooLarge(MAX_MESSAGE + 1)));
}
