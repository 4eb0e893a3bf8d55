#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Change the smoke Pods of one node on their way into the cluster, by a MutatingAdmissionPolicy.
#   smoke_pod_change.sh env NODE NAME VALUE     the container gets an environment variable
#   smoke_pod_change.sh script NODE TEXT        the container's script begins with this text
#   smoke_pod_change.sh none NODE
set -euo pipefail
# shellcheck source=../settings.sh
. "$(dirname "$(readlink -f "$0")")/../settings.sh"
export KUBECONFIG=$LAB_PKI/admin.kubeconfig
kubectl() { "$LAB_PARTS/kubectl/kubectl" --request-timeout=5s "$@"; }
action=$1 node=$2

# quoted TEXT   as CEL writes it
quoted() {
  local text=${1//\\/\\\\}
  echo "\"${text//\"/\\\"}\""
}

mutation() {
  case $action in
    env) cat <<MUTATION
    - patchType: ApplyConfiguration
      applyConfiguration:
        expression: |
          Object{spec: Object.spec{containers: [Object.spec.containers{name: "smoke",
            env: [Object.spec.containers.env{name: $(quoted "$3"), value: $(quoted "$4")}]}]}}
MUTATION
      ;;
    script) cat <<MUTATION
    - patchType: JSONPatch
      jsonPatch:
        expression: |
          [JSONPatch{op: "replace", path: "/spec/containers/0/command/2",
            value: $(quoted "$3") + "\n" + object.spec.containers[0].command[2]}]
MUTATION
      ;;
  esac
}

policy() {
  cat <<POLICY
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: lab-$node}
spec:
  failurePolicy: Fail
  reinvocationPolicy: Never
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
    objectSelector:
      matchLabels: {app.kubernetes.io/managed-by: gpu.k8s, app.kubernetes.io/component: smoke}
  matchConditions:
    - name: node
      expression: object.spec.?nodeSelector[?"kubernetes.io/hostname"].orValue("") == "$node"
  mutations:
    - patchType: JSONPatch
      jsonPatch:
        expression: |
          [JSONPatch{op: "add", path: "/metadata/labels/lab~1changed", value: "true"}]
$(mutation "$@")
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: lab-$node}
spec: {policyName: lab-$node}
POLICY
}

# Whether a smoke Pod would be changed now: the API server takes some seconds to notice a policy.
changed() {
  kubectl create --dry-run=server --filename - --output 'jsonpath={.metadata.labels.lab/changed}' <<POD
apiVersion: v1
kind: Pod
metadata:
  name: lab-change
  labels: {app.kubernetes.io/managed-by: gpu.k8s, app.kubernetes.io/component: smoke}
spec:
  nodeSelector: {kubernetes.io/hostname: $node}
  containers: [{name: smoke, image: lab, command: [sh, -c, "true"]}]
POD
}

if [ "$action" = none ]; then
  kubectl delete --ignore-not-found mutatingadmissionpolicies,mutatingadmissionpolicybindings "lab-$node"
  wanted=
else
  policy "$@" | kubectl apply --filename -
  wanted=true
fi
deadline=$((SECONDS + 30))
until now=$(changed) && [ "$now" = "$wanted" ]; do
  [ "$SECONDS" -lt "$deadline" ] || { echo "smoke Pods of $node are not changed as they should be" >&2; exit 1; }
  sleep 0.2
done
