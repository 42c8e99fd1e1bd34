//! The picture of a small system.

use pedra_formats::{aiger, dot};

#[test]
fn a_small_picture() {
    let model = "aag 4 1 2 0 1 1 1\n2\n4 8\n6 1 5\n8\n3\n8 7 2\ni0 the \"clock\"\nb0 stuck\n";
    let system = aiger::read(model.as_bytes()).expect("a good model");
    let expected = r#"digraph model {
  rankdir=BT;
  node [fontname="sans-serif", fontsize=10];
  edge [arrowsize=0.6, fontname="sans-serif", fontsize=8];
  v0 [shape=plaintext, label="0"];
  v1 [shape=triangle, label="the \"clock\""];
  v2 [shape=box, label="latch 0\nstarts 0"];
  v3 [shape=box, label="latch 1\nstarts computed"];
  v4 [shape=circle, label="4"];
  v3 -> v4 [style=dashed, arrowhead=odot];
  v1 -> v4 [];
  v4 -> v2 [color=gray40, constraint=false];
  v0 -> v3 [color=gray40, constraint=false, style=dashed, arrowhead=odot];
  v2 -> v3 [color=orange, constraint=false, label="reset", style=dashed, arrowhead=odot];
  b0 [shape=house, color=red, fontcolor=red, label="bad 0\nstuck"];
  v4 -> b0 [color=red, fontcolor=red];
  c0 [shape=house, color=blue, fontcolor=blue, label="constraint 0"];
  v1 -> c0 [color=blue, fontcolor=blue, style=dashed, arrowhead=odot];
}
"#;
    assert_eq!(dot::bits(&system), expected);
}
