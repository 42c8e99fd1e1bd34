//! What users get: an archive with the program, its manual page, completions and licences, and
//! crates that can be installed where there is no registry.
//!
//! The program is static, so that it runs on any Linux of its architecture. With the musl target of
//! Rust and a C++ compiler for musl (CaDiCaL is C++) it is linked with musl, otherwise with a
//! static glibc, which Pedra can be: it looks up neither hosts nor users.

use crate::tidy;
use crate::tools::{call, output};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where archives go, from the root of the repository.
const DIST: &str = "target/dist";

/// What the archive has from the repository.
const FILES: &[&str] = &["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Shells, and what the completion script of each is called.
const SHELLS: &[(&str, &str)] =
    &[("bash", "pedra.bash"), ("zsh", "_pedra"), ("fish", "pedra.fish")];

/// Packages that are not published.
const PRIVATE: &[&str] = &["pedra-fuzz", "xtask", "pedra-python", "pedra-differential"];

/// Builds the program and the archive; says what it is.
///
/// # Errors
/// What went wrong.
pub fn run() -> Result<String, String> {
    let (target, c_library) = target()?;
    // What is compiled for `cargo build --release` is taken: only the last link differs.
    let mut build = cargo();
    build.args(["rustc", "--release", "--locked", "--package", "pedra", "--bin", "pedra"]);
    let mut folder = target_folder();
    if c_library == "musl" {
        build.args(["--target", &target]);
        folder.push(&target);
    }
    call(build.args(["--", "-C", "target-feature=+crt-static"]))?;
    let program = folder.join("release/pedra");
    let is_static = is_static(&program)?;
    let version = output(Command::new(&program).arg("--version"))?;
    let version = version.split_whitespace().nth(1).ok_or("no version")?.to_owned();
    let name = format!("pedra-{version}-{target}");
    let dist = tidy::root().join(DIST);
    let folder = dist.join(&name);
    // What an earlier run has left.
    let _ = fs::remove_dir_all(&folder);
    let share = dist.join("share");
    documents(&program, &share)?;
    fill(&folder, &program, &share)?;
    let archive = dist.join(format!("{name}.tar.gz"));
    let reproducible = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"];
    call(
        Command::new("tar")
            .args(reproducible)
            .arg("-czf")
            .arg(&archive)
            .arg("-C")
            .arg(&dist)
            .arg(&name),
    )?;
    let size = fs::metadata(&archive).map_err(|e| e.to_string())?.len() / 1_000_000;
    let linked = if is_static { format!("static, {c_library}") } else { "dynamic".to_owned() };
    Ok(format!("{} ({size} MB; {linked})", archive.display()))
}

/// The target that is built for, and the C library of its programs.
fn target() -> Result<(String, &'static str), String> {
    let verbose = output(Command::new("rustc").arg("-vV"))?;
    let host = verbose.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("no host")?;
    let musl = host.replace("-gnu", "-musl");
    let mut library = Command::new("rustc");
    library.args(["--print", "target-libdir", "--target", &musl]);
    let has_library = output(&mut library).is_ok_and(|path| Path::new(path.trim()).is_dir());
    let compiler = musl.replace("-unknown", "") + "-g++";
    let has_compiler = Command::new(compiler).arg("--version").output().is_ok();
    match has_library && has_compiler {
        true => Ok((musl, "musl")),
        false => Ok((host.to_owned(), "glibc")),
    }
}

/// Whether a program needs no other library.
fn is_static(program: &Path) -> Result<bool, String> {
    let output = Command::new("ldd").arg(program).output().map_err(|e| format!("ldd: {e}"))?;
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    Ok(text.contains("statically linked") || text.contains("not a dynamic executable"))
}

/// Has the program write its manual page and its completion scripts.
fn documents(program: &Path, share: &Path) -> Result<(), String> {
    let write = |path: PathBuf, text: String| fs::write(&path, text).map_err(|e| told(&path, e));
    for part in ["man", "completions"] {
        fs::create_dir_all(share.join(part)).map_err(|e| told(share, e))?;
    }
    write(share.join("man/pedra.1"), output(Command::new(program).arg("man"))?)?;
    for (shell, name) in SHELLS {
        let script = output(Command::new(program).args(["completions", shell]))?;
        write(share.join("completions").join(name), script)?;
    }
    Ok(())
}

/// Fills the folder that becomes the archive, and tries the program from there.
fn fill(folder: &Path, program: &Path, share: &Path) -> Result<(), String> {
    let copy = |from: &Path, to: &Path| fs::copy(from, to).map(drop).map_err(|e| told(to, e));
    fs::create_dir_all(folder.join("bin")).map_err(|e| told(folder, e))?;
    for name in FILES {
        copy(&tidy::root().join(name), &folder.join(name))?;
    }
    call(Command::new("cp").arg("-r").arg(share).arg(folder))?;
    let own = folder.join("bin/pedra");
    copy(program, &own)?;
    let model = tidy::root().join("models/fifo.btor2");
    let text = Command::new(&own).arg("check").arg(model).output().map_err(|e| told(&own, e))?;
    match text.status.code() {
        Some(1) => Ok(()),
        _ => Err(format!("the program does not work: {}", String::from_utf8_lossy(&text.stderr))),
    }
}

fn told(path: &Path, error: std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Packs all crates, and installs the program from them in a folder of its own, without registry or
/// network: other crates come from a copy, too. Says where it is.
///
/// # Errors
/// What went wrong.
pub fn package() -> Result<String, String> {
    let root = tidy::root();
    let scratch = root.join("target/scratch");
    let crates = target_folder().join("package");
    for folder in [&scratch, &crates] {
        // What an earlier run has left.
        let _ = fs::remove_dir_all(folder);
    }
    let vendor = scratch.join("vendor");
    fs::create_dir_all(&vendor).map_err(|e| told(&vendor, e))?;
    let private = PRIVATE.iter().flat_map(|name| ["--exclude", name]);
    let pack = ["package", "--workspace", "--locked", "--no-verify", "--allow-dirty"];
    call(cargo().args(pack).args(private))?;
    let mut copies = cargo();
    copies.args(["vendor", "--locked", "--versioned-dirs"]).arg(&vendor);
    output(copies.current_dir(root))?;
    let packed = fs::read_dir(crates).map_err(|e| e.to_string())?;
    let packed = packed.flatten().map(|entry| entry.path());
    for archive in packed.filter(|path| path.extension().is_some_and(|e| e == "crate")) {
        call(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&vendor))?;
        let sum = output(Command::new("sha256sum").arg(&archive))?;
        let sum = sum.split_whitespace().next().unwrap_or_default().to_owned();
        let name = archive.file_stem().ok_or("a crate without name")?;
        let list = vendor.join(name).join(".cargo-checksum.json");
        let text = format!("{{\"files\":{{}},\"package\":\"{sum}\"}}");
        fs::write(&list, text).map_err(|e| told(&list, e))?;
    }
    // `cargo install` looks at no settings but those that it is given.
    let settings = scratch.join("settings.toml");
    let text = format!(
        "[source.crates-io]\nreplace-with = \"copies\"\n[source.copies]\ndirectory = {vendor:?}\n"
    );
    fs::write(&settings, text).map_err(|e| told(&settings, e))?;
    let install = ["install", "pedra", "--offline", "--locked", "--debug", "--root", "."];
    call(cargo().arg("--config").arg(&settings).args(install).current_dir(&scratch))?;
    let program = scratch.join("bin/pedra");
    let version = output(Command::new(&program).arg("--version"))?;
    Ok(format!("{}: {}", program.display(), version.trim()))
}

fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(tidy::root());
    cargo
}

fn target_folder() -> PathBuf {
    let folder = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    folder.unwrap_or_else(|| tidy::root().join("target"))
}
