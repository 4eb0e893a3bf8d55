# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2154
# Go for the recipes: the machine's own when it is new enough, otherwise the part "go". $files is set by part.sh.

go_is_new_enough() {
  local version
  version=$(command -v go >/dev/null && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null) || return 1
  [ "$(printf '%s\n' go1.26.6 "$version" | sort -V | head -n 1)" = go1.26.6 ]
}

# run_go MODULE ARGUMENT...   in the module's folder, with its build environment
run_go() {
  local module=$1 go=go
  shift
  go_is_new_enough || go=$(part_path go)/go/bin/go
  (
    cd "$files/modules/$module" || exit
    export GOCACHE="$LAB_CACHE/go-build" GOFLAGS='-mod=readonly -trimpath -buildvcs=false'
    # shellcheck source=/dev/null
    . ./environment
    "$go" "$@"
  )
}

# go_build MODULE OUTPUT PACKAGE   one program, with the module's flags
go_build() {
  local module=$1 tags='' ldflags=''
  # shellcheck source=/dev/null
  . "$files/modules/$module/environment"
  run_go "$module" build -tags "$tags" -ldflags "-s -w $ldflags" -o "$2" "$3"
}
