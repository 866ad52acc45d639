#!/bin/sh
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

javac -d "$out" Momo.java MomoTest.java
java -cp "$out" MomoTest
