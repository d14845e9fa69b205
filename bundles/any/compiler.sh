#!/bin/sh
# Sees to it that kernels can be compiled here: NVRTC and the headers that it needs, some 150 MB, unless they are there.
set -e
if cudalab doctor | grep -q '^found *NVRTC' && cudalab doctor | grep -q '^found *CUDA headers'; then exit 0; fi
apt-get install --yes --no-install-recommends python3-pip
PIP_BREAK_SYSTEM_PACKAGES=1 pip3 install --no-cache-dir nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl
cudalab doctor
