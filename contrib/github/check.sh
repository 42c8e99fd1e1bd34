#!/usr/bin/env bash
# The step `Check` of action.yml. Everything it is told comes in variables, so that no text of a
# workflow is taken for shell code.
set -euo pipefail

pedra=${PEDRA:-pedra}
reports=${PEDRA_REPORTS:-pedra-reports}
cd "${PEDRA_FOLDER:-.}"
mkdir -p "$reports/sarif" "$reports/junit"
reports=$(cd "$reports" && pwd)
# A report of an earlier run must not be taken for one of this.
rm -f "$reports"/sarif/*.sarif "$reports"/junit/*.xml
read -r -a options <<<"${PEDRA_OPTIONS:-}"
fail_on=${PEDRA_FAIL_ON:-unknown}
case $fail_on in
    unknown | violated) ;;
    *)
        echo "fail-on: \`$fail_on\` is neither \`unknown\` nor \`violated\`" >&2
        exit 2
        ;;
esac

# The exit code that counts most: internal error, bad input, violated, unknown, proved.
rank() {
    case $1 in
        0) echo 0 ;;
        3) echo 1 ;;
        1) echo 2 ;;
        2) echo 3 ;;
        *) echo 4 ;;
    esac
}
worst=0
run() { # NAME [FILE]
    local name=$1 code=0
    shift
    local words=(check ${options[@]+"${options[@]}"})
    words+=(--sarif "$reports/sarif/$name.sarif" --junit "$reports/junit/$name.xml")
    if [ $# -gt 0 ]; then words+=(-- "$@"); fi
    echo "::group::pedra ${words[*]}"
    "$pedra" "${words[@]}" </dev/null || code=$?
    echo "::endgroup::"
    # Options such as --help end with 0, but without a verdict.
    if [ ! -s "$reports/sarif/$name.sarif" ] || [ ! -s "$reports/junit/$name.xml" ]; then
        echo "pedra ${words[*]}: no report was written" >&2
        if [ "$(rank "$code")" -lt "$(rank 2)" ]; then code=2; fi
    fi
    if [ "$(rank "$code")" -gt "$(rank "$worst")" ]; then worst=$code; fi
}

number=0
while IFS= read -r file; do
    file="${file#"${file%%[![:space:]]*}"}"
    file="${file%"${file##*[![:space:]]}"}"
    [ -n "$file" ] || continue
    number=$((number + 1))
    run "$number-$(basename -- "$file" | tr -c 'A-Za-z0-9._\n-' _)" "$file"
done <<<"${PEDRA_FILES:-}"
if [ "$number" -eq 0 ]; then
    run tasks
fi

{
    echo "exit-code=$worst"
    echo "sarif=$reports/sarif"
    echo "junit=$reports/junit"
} >>"${GITHUB_OUTPUT:-/dev/stdout}"
case "$fail_on $worst" in
    "unknown 3") exit 3 ;;
    *" 0" | *" 3") exit 0 ;;
    *) exit "$worst" ;;
esac
