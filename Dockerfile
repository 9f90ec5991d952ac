# ClawdCode without a screen: docs/fleets.md. Build: docker build --tag clawdcode .
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
# Builds the program, too.
RUN npm ci

FROM node:24-bookworm-slim
# bubblewrap confines the commands of the model.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git openssh-client \
  && rm -rf /var/lib/apt/lists/*
# Everything but ripgrep is in the bundle.
COPY --from=build /src/package.json /opt/clawdcode/package.json
COPY --from=build /src/LICENSE /opt/clawdcode/LICENSE
COPY --from=build /src/bin /opt/clawdcode/bin
COPY --from=build /src/dist /opt/clawdcode/dist
COPY --from=build /src/schema /opt/clawdcode/schema
COPY --from=build /src/node_modules/@vscode /opt/clawdcode/node_modules/@vscode
RUN ln -s /opt/clawdcode/bin/clawdcode.js /usr/local/bin/clawdcode \
  && useradd --create-home --uid 10001 agent \
  && install --directory --owner=agent --group=agent /workspace /results
# By number: Kubernetes cannot tell from a name that it is not root.
USER 10001:10001
WORKDIR /workspace
# Sends no request: others would cost money each time.
HEALTHCHECK --interval=5m --timeout=30s --start-period=10s CMD ["clawdcode", "doctor", "--json", "--offline"]
ENTRYPOINT ["clawdcode"]
