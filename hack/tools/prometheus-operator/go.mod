// The module whose definitions test/integration installs. No package of it is compiled.
module github.com/kvbench/kvbench/hack/tools/prometheus-operator

go 1.26.0

require github.com/prometheus-operator/prometheus-operator v0.90.1
