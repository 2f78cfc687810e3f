#!/usr/bin/env bash
# machine_profile.sh: prints the profile of the imaginary machine of the runs in planted_model.cpp. It has two networks.
cat <<'PROFILE'
format: apmt-machine
format_version: "1.0"
name: where the runs were
provenance: measured
source: this test
cpu: planted
cores: 64
frequency_hz: [2.0e9]
networks:
- scope: node
  pieces:
  - {from_bytes: 0, alpha_s: 1.0e-6, beta_s_per_byte: 1.0e-9, worst_error: 0.1}
- scope: network
  pieces:
  - {from_bytes: 0, alpha_s: 9.0e-6, beta_s_per_byte: 5.0e-8, worst_error: 0.1}
PROFILE
