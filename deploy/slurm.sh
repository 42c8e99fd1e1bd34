#!/usr/bin/env bash
# Workers under Slurm: one for each task of the job.
#   sbatch --ntasks=64 deploy/slurm.sh nats://HOST:4222
# They end after ten minutes without work, and give the nodes back. Credentials: export
# PEDRA_CLUSTER_CREDS=FILE, a file that all nodes see.
#SBATCH --job-name=pedra-worker
#SBATCH --ntasks=8
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=4G
#SBATCH --time=04:00:00
#SBATCH --signal=TERM@30
set -euo pipefail

if [ $# -ne 1 ]; then
    echo "usage: sbatch [OPTIONS] $0 nats://HOST:PORT" >&2
    exit 2
fi
export PEDRA_CLUSTER=$1
creds=()
if [ -n "${PEDRA_CLUSTER_CREDS:-}" ]; then
    creds=(--cluster-creds "$PEDRA_CLUSTER_CREDS")
fi
# --kill-on-bad-exit=0: a worker that ends alone does not take the others along.
exec srun --kill-on-bad-exit=0 pedra worker --memory 3500M --idle 10m "${creds[@]}"
