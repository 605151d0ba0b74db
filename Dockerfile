# One image of both programs: /kvbench (controller and results server) and /kvbench-loadgen
# (workers and observer).
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
ARG TARGETOS TARGETARCH
ARG VERSION
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY api api
COPY charts charts
COPY cmd cmd
COPY controllers controllers
COPY internal internal
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -buildvcs=false -ldflags="-s -w -X github.com/kvbench/kvbench/internal/version.version=$VERSION" -o /out/ ./cmd/kvbench ./cmd/kvbench-loadgen

FROM gcr.io/distroless/static:nonroot
COPY --from=build /out/kvbench /out/kvbench-loadgen /
USER 65532:65532
ENTRYPOINT ["/kvbench"]
