# An image whose program is th: `docker build -t moontorch .`, `docker run -it -v "$PWD":/work moontorch script.lua`.
FROM debian:bookworm-slim AS build
COPY . /moontorch
WORKDIR /moontorch
RUN bin/setup build && cmake --workflow --preset deb

FROM debian:bookworm-slim
RUN --mount=type=bind,from=build,source=/moontorch/build/deb,target=/packages \
    apt-get update && apt-get install -y /packages/moontorch_*.deb && apt-get clean && rm -rf /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["th"]
