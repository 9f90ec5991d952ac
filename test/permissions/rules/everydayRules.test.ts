/** Everyday rules with a wildcard let these calls run without approval, as users expect. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { everyOtherIsQuick } from '../../e2e/support/long.ts';
import { bash, root } from '../harness.ts';

const files = `package.json tsconfig.json tsconfig.build.json vitest.config.ts jest.config.js eslint.config.js .eslintrc.json
  .prettierrc biome.json playwright.config.ts .mocharc.json pyproject.toml pytest.ini mypy.ini setup.cfg tox.ini noxfile.py
  ruff.toml .pylintrc Makefile Cargo.toml go.mod docker-compose.yml docker-compose.dev.yml k8s/app.yaml build.mk
  .golangci.yml config/webpack.prod.js vite.config.ts rollup.config.mjs .rubocop.yml phpunit.xml CMakeLists.txt
  data/app.db tests/test_app.py tests/test_api.py src/app.test.ts build/Makefile dev.tfvars values.yaml access.log data/a.json
  .coveragerc packages/a/package.json CMakePresets.json src/a.c pom.xml justfile notes.csv`;
for (const file of files.split(/\s+/)) {
  mkdirSync(join(root, file, '..'), { recursive: true });
  writeFileSync(join(root, file), 'x\n');
}

/** Calls by rule; those that need approval begin with a question mark and end with the reason. */
const everyday: Readonly<Record<string, string>> = {
  'npm test': `
    npm test --silent -- --bail --runInBand --verbose
    npm test -- --no-coverage --watchAll=false src
    npm test -- -g 'adds two' --timeout 5000
    npm test
    npm test -- -u
    npm test -- --watch=false
    npm test -- --grep parser
    npm test -- src/app.test.ts
    npm test -- -t 'adds two numbers'
    npm test -- --reporter=verbose
    npm test -- --coverage
    npm test -- --testPathPattern=app
    npm test -- --maxWorkers=2
    npm test -- --updateSnapshot
    npm test -- --config vitest.config.ts
    npm test -- --reporter dot --bail=1
    npm test 2>&1 | tail -20
    CI=1 npm test
  `,
  'npm run': `
    npm run lint -- --max-warnings 0 --quiet src
    npm run format -- --check src
    npm run build -- --watch --sourcemap --minify
    npm run seed -- --count=5 --force --dry-run
    npm run build
    npm run lint -- --fix
    npm run test -- --grep x
    npm run build --if-present
    npm run test:unit -- --run src
    npm run dev -- --port 3000
    npm run build -- --mode production
    npm run typecheck --silent
    ? npm run test --workspaces  # the scripts of another folder, as after cd
    ? npm run build -w packages/a  # the scripts of another folder, as after cd
    ? npm run build --workspace=packages/a  # the scripts of another folder, as after cd
  `,
  'npm install': `
    npm install --no-audit --no-fund --prefer-offline
    npm install --production --ignore-scripts --loglevel error
    npm install
    npm install lodash
    npm install -D vitest
    npm install --save-dev @types/node
    npm install --legacy-peer-deps
    ? npm install -g typescript          # installs for the whole machine
    ? npm install --registry http://x y  # from another place
  `,
  pnpm: `
    pnpm install --frozen-lockfile
    pnpm test -- -u
    pnpm run build
    pnpm lint --fix
    ? pnpm -r build  # the scripts of another folder, as after cd
    ? pnpm --filter web test  # the scripts of another folder, as after cd
    pnpm add -D vitest
  `,
  yarn: `
    yarn
    yarn install --frozen-lockfile
    yarn test --watch=false
    yarn build --mode production
    yarn lint --fix
    yarn add -D vitest
    ? yarn workspace web test  # the scripts of another folder, as after cd
  `,
  'npx vitest': `
    npx vitest --coverage.include='src/**' --coverage.thresholds.lines=90
    npx vitest run --shard=1/3 --retry=2 --max-workers=50%
    npx vitest run --changed --pass-with-no-tests --bail 1
    npx vitest run src/app.test.ts --silent --hide-skipped-tests --no-isolate
    npx vitest list --json --typecheck
    npx vitest run
    npx vitest run --config vitest.config.ts
    npx vitest run -c vitest.config.ts src/app.test.ts
    npx vitest run --reporter=verbose --coverage
    npx vitest run -u
    npx vitest run --update
    npx vitest run --project unit
    npx vitest run --environment jsdom
    npx vitest run --pool=forks
    npx vitest run --pool forks --poolOptions.forks.singleFork
    npx vitest run --coverage.reporter=text
    npx vitest run --root packages/a
    npx vitest run --reporter=json --outputFile=out/results.json
    npx vitest run --dir src
    npx vitest run --no-file-parallelism --test-timeout=10000
  `,
  'vitest run': `
    vitest run --config vitest.config.ts
    vitest run src -t 'name of test'
  `,
  'npx jest': `
    npx jest --bail --maxWorkers=50% --silent --testPathIgnorePatterns 'e2e/'
    npx jest --watchAll=false --detectOpenHandles --forceExit
    npx jest --onlyChanged --passWithNoTests --no-cache --ci
    npx jest --collectCoverageFrom 'src/**/*.{ts,tsx}' --coverage
    npx jest -i -t 'adds' --testTimeout 10000 --shard=1/2
    npx jest --config jest.config.js
    npx jest -c jest.config.js -t name
    npx jest --updateSnapshot
    npx jest -u src/app.test.ts
    npx jest --env=jsdom
    npx jest --coverage --coverageReporters=text
    npx jest --coverage --coverageDirectory=coverage
    npx jest --runInBand --verbose
    npx jest --selectProjects unit
    npx jest --rootDir packages/a
  `,
  'npx playwright test': `
    npx playwright test -g login --workers=2 --retries 1 --max-failures=3
    npx playwright test --list --shard=1/4 --forbid-only -x
    npx playwright test --trace on --repeat-each=3 --last-failed
    npx playwright test --project=chromium
    npx playwright test --headed --grep login
    npx playwright test --config=playwright.config.ts
    npx playwright test --reporter=line
    ? npx playwright test --ui  # opens a server and a browser
    npx playwright test --update-snapshots
  `,
  'npx eslint': `
    npx eslint 'src/**/*.{ts,tsx}' --quiet --no-error-on-unmatched-pattern
    npx eslint --rule 'no-console: 2' --report-unused-disable-directives src
    npx eslint --fix-dry-run --cache-strategy content --color src
    npx eslint --ignore-pattern 'dist/**' --no-inline-config src
    npx eslint --print-config src/app.ts
    npx eslint .
    npx eslint --fix src
    npx eslint src --ext .ts,.tsx --max-warnings 0
    npx eslint -c eslint.config.js src
    npx eslint --config eslint.config.js src
    npx eslint --format json src
    npx eslint -f stylish src
    npx eslint --cache src
    npx eslint --no-eslintrc -c .eslintrc.json src
    npx eslint -o out/eslint.txt src
  `,
  'npx prettier': `
    npx prettier --check 'src/**/*.{ts,tsx,css}' --log-level warn
    npx prettier -c src --ignore-unknown --no-error-on-unmatched-pattern
    npx prettier -w src docs --print-width 100 --single-quote --no-semi
    npx prettier --check . --cache --end-of-line lf
    npx prettier src/app.ts
    ? npx prettier .  # shows all files that it finds
    npx prettier --write src/app.ts
    npx prettier --check src
    npx prettier --config .prettierrc --check src
  `,
  'npx biome': `
    npx biome check --write src
    npx biome lint src --fix
    npx biome check --config-path=biome.json src
    npx biome ci
  `,
  'npx tsc': `
    npx tsc -b --verbose --force
    npx tsc --noEmit --pretty false --strict --target es2022 --module nodenext
    npx tsc --listFiles --extendedDiagnostics --noEmit src/app.ts
    npx tsc -w --preserveWatchOutput --incremental false
    npx tsc --noEmit
    npx tsc -p tsconfig.build.json
    npx tsc --build
    npx tsc --outDir dist
    npx tsc --noEmit --watch --skipLibCheck
    npx tsc --rootDir src --noEmit
  `,
  'npx vite build': `
    npx vite build --sourcemap --minify false --logLevel warn --emptyOutDir
    npx vite build
    npx vite build --config vite.config.ts
    npx vite build --mode staging --outDir dist
  `,
  'npx webpack': `
    npx webpack --config config/webpack.prod.js
    npx webpack --mode production -o dist
  `,
  'node --test': `
    node --test
    node --test --test-reporter=spec src
    node --test --test-name-pattern=adds
  `,
  node: `
    node scripts/x.js --config a --output b
  `,
  pytest: `
    pytest -vv -ra -s --tb=long --maxfail=2 tests
    pytest -x --ff --sw --no-header --disable-warnings
    pytest -n auto --dist loadscope --timeout=60 --reruns 2
    pytest --collect-only -q --ignore=tests/slow --deselect tests/test_app.py::test_one
    pytest --cov --cov-branch --cov-fail-under=80 --no-cov-on-fail
    pytest -k 'not (slow or net)' --durations 5 -p no:randomly --color=yes
    pytest --snapshot-update --doctest-modules --capture=no --log-level DEBUG
    pytest
    pytest -q tests/test_app.py
    pytest -k 'app and not slow' -x
    pytest -c pytest.ini
    pytest --cov=src --cov-report=html
    pytest --cov=src --cov-report=xml:coverage.xml
    pytest -p no:cacheprovider
    pytest -W error
    pytest -W ignore::DeprecationWarning
    pytest --junitxml=out/report.xml
    pytest --tb=short -n 4
    pytest tests/test_app.py::test_one
    pytest --rootdir=tests
    ? pytest --pdb  # a debugger, which runs what its input says
    pytest --lf --cache-clear
    pytest --log-cli-level=INFO
    pytest -m 'not slow' --durations=10
  `,
  'python -m pytest': `
    python -m pytest
    python -m pytest -q
    python -m pytest -k app tests
    python -m pytest --cov=src tests
  `,
  'python3 -m': `
    python3 -m pytest -q
    python3 -m json.tool data/a.json
    python3 -m mypy src
  `,
  ruff: `
    ruff check --diff --preview --no-cache --target-version py311 src
    ruff format --line-length 100 --exclude build src
    ruff check 'src/**/*.py' --exit-zero -q
    ruff check .
    ruff check --fix .
    ruff check --select E,F --fix src
    ruff check --unsafe-fixes --fix src
    ruff check --config ruff.toml src
    ruff format --check .
    ruff check --output-format=github
    ruff check --statistics
  `,
  mypy: `
    mypy --warn-unused-ignores --disallow-untyped-defs --python-version 3.12 src
    mypy --exclude build --follow-imports=silent --no-incremental --pretty src
    mypy --show-error-codes --disable-error-code attr-defined -v src
    mypy src
    mypy --config-file mypy.ini src
    mypy --strict --ignore-missing-imports src
    mypy -p app
  `,
  black: `
    black -q --fast -t py311 --skip-string-normalization src
    black --exclude build --workers 4 --color --diff src
    black .
    black --check --diff src
    black --config pyproject.toml src
    black -l 100 src
  `,
  pylint: `
    pylint --disable=C0114,C0115 --fail-under=8 -E src
    pylint --rcfile=.pylintrc src
    pylint --output-format=json src
    pylint -f colorized src
    pylint -j 4 src
  `,
  flake8: `
    flake8 --ignore=E203,W503 --exclude=build --count --statistics --show-source
    flake8 --config setup.cfg src
    flake8 --max-line-length=120
  `,
  'uv run pytest': `
    uv run pytest
    uv run pytest -q tests
    uv run pytest -x --lf
  `,
  'cargo test': `
    cargo test --lib --doc -q --no-fail-fast --locked
    cargo test -p core --features a --no-default-features -j 4 -- --skip slow
    cargo test
    cargo test --workspace --all-features
    cargo test parser -- --nocapture --test-threads=1
    cargo test -- parser
    cargo test --manifest-path Cargo.toml
    cargo test --release -p core --no-run
    cargo test --target-dir target/ci
  `,
  'cargo clippy': `
    cargo clippy
    cargo clippy --all-targets -- -D warnings
    cargo clippy --all-targets --all-features -- -W clippy::pedantic -A clippy::todo
    cargo clippy --fix --allow-dirty
    cargo clippy --message-format=short
  `,
  'cargo build': `
    cargo build -r -p app --bin app -vv --offline --timings
    cargo build --all-targets --keep-going --profile ci
    cargo build --release
    cargo build --target wasm32-unknown-unknown
    cargo build --features a,b --manifest-path Cargo.toml
    cargo build --message-format json
  `,
  'cargo fmt': `
    cargo fmt
    cargo fmt --all -- --check
  `,
  cargo: `
    cargo check
    cargo doc --no-deps
    cargo bench
    cargo tree -d
    ? cargo install ripgrep # installs for the user
  `,
  'go test': `
    go test -v -short -timeout 30s -run 'Test(A|B)/x' ./...
    go test -cover -coverpkg=./... -failfast -shuffle on ./...
    go test -fuzz=FuzzParse -fuzztime 10s ./pkg
    go test ./pkg -update
    go test -p 4 -parallel 8 -vet=off -cpu 1,2 ./...
    go test ./...
    go test -race -count=1 ./...
    go test -coverprofile=c.out ./...
    go test -coverprofile c.out -covermode=atomic ./...
    go test -tags integration ./...
    go test -tags=integration ./...
    go test -run TestApp -v ./pkg
    go test -bench=. -benchmem -cpuprofile=cpu.out ./pkg
    go test -json ./...
    go test ./... -args -update
  `,
  'go build': `
    go build -v -x -race -buildvcs=false ./...
    go build ./...
    go build -o bin/app ./cmd/app
    go build -ldflags="-s -w" ./cmd/app
    go build -ldflags '-X main.version=1.2.3' -o bin/app .
    go build -tags netgo -trimpath .
    go build -gcflags='all=-N -l' .
  `,
  gofmt: `
    gofmt -l .
    gofmt -w src
    gofmt -s -d .
  `,
  'golangci-lint': `
    golangci-lint run --timeout 5m --enable gosec,misspell -v --new-from-rev=HEAD~1
    golangci-lint run --out-format json --max-same-issues 0
    golangci-lint run
    golangci-lint run --fix ./...
    golangci-lint run --config .golangci.yml
    golangci-lint run --out-format=line-number
  `,
  make: `
    make
    make test V=1
    make -j8 all
    make build VERSION=1.2.3
    ? make test ARGS="-v -run X"  # could be options of any program
    ? make -C build  # the scripts of another folder, as after cd
    make -f build.mk test
    make install DESTDIR=out
    ? make CFLAGS=-O2  # could be options that load code
    ? make SHELL=./x  # another program
  `,
  'make test': `
    make test V=1
    make test -j4
    make test TESTS=unit VERBOSE=yes
  `,
  'cmake --build': `
    cmake --build build --parallel 8 --clean-first --verbose
    cmake --build build
    cmake --build build --target test -j 8
    cmake --build build --config Release
  `,
  cmake: `
    cmake -S . -B build
    cmake -B build -DCMAKE_BUILD_TYPE=Debug
    cmake -B build -G Ninja
  `,
  ctest: `
    ctest --test-dir build -E slow -L unit --repeat until-pass:3 --timeout 60
    ctest --test-dir build --output-on-failure
    ctest -R parser -V
    ctest -j 8 -C Release
  `,
  ninja: `
    ninja -C build
    ninja -C build test
    ninja -j 8
  `,
  gcc: `
    ? gcc -Wall -Wextra -O2 -o app src/a.c  # could overwrite a source
    gcc -c src/a.c -o build/a.o
    gcc -g -Iinclude -Llib -lm src/a.c
  `,
  mvn: `
    mvn -B -ntp -e -U verify
    mvn --batch-mode --fail-at-end -DskipTests package
    mvn test
    mvn -q -DskipTests package
    mvn test -Dtest=AppTest#one
    mvn -pl core -am verify
    mvn -P ci verify
    mvn -T 4 clean install
    mvn -f pom.xml test
  `,
  './gradlew': `
    ./gradlew test
    ./gradlew test --tests 'app.*'
    ./gradlew build -x test
    ./gradlew build --info --stacktrace
    ./gradlew build -PskipIT
  `,
  'dotnet test': `
    dotnet test --no-restore -v q --nologo --logger trx
    dotnet test --logger 'console;verbosity=detailed' --blame-hang-timeout 60s
    dotnet test -v:minimal -f net8.0 --list-tests
    dotnet test --filter Name~App
    dotnet test -c Release --no-build
    dotnet test --collect 'XPlat Code Coverage'
  `,
  'bundle exec rspec': `
    bundle exec rspec --fail-fast --order rand:123 -e 'adds two' --only-failures
    bundle exec rspec -b --seed 1 --color --warnings spec
    bundle exec rspec
    bundle exec rspec spec/app_spec.rb:12
    bundle exec rspec --format documentation
    bundle exec rspec --tag focus
  `,
  'bundle exec rubocop': `
    bundle exec rubocop -A --only Style/StringLiterals,Lint --parallel
    bundle exec rubocop --display-cop-names --fail-level error -l app
    bundle exec rubocop -a
    bundle exec rubocop --format simple app
    bundle exec rubocop -c .rubocop.yml
  `,
  'vendor/bin/phpunit': `
    vendor/bin/phpunit --testsuite unit --stop-on-failure --testdox --colors=always
    vendor/bin/phpunit --group fast --no-coverage --display-warnings --order-by=defects
    vendor/bin/phpunit
    vendor/bin/phpunit --filter testOne
    vendor/bin/phpunit -c phpunit.xml
  `,
  just: `
    just
    just test
    just build release
    just -f justfile test
  `,
  'docker compose': `
    docker compose up -d
    docker compose logs --tail 50 web
    docker compose -f docker-compose.dev.yml up -d
    docker compose build --no-cache web
    docker compose ps
    docker compose config -q
    docker compose -f docker-compose.dev.yml config --services
    ? docker compose config  # shows what the env files hold
    ? docker compose exec web sh # another program
  `,
  'docker build': `
    docker build .
    docker build -t app:dev .
    docker build -t app -f Dockerfile.dev .
    docker build --build-arg VERSION=1 --target test .
    docker build --no-cache --platform linux/amd64 -t app .
  `,
  'docker run': `
    docker run --rm hello-world
    docker run --rm -it -p 3000:3000 app
    ? docker run -v /:/x alpine # the whole machine
  `,
  'docker logs': `
    docker logs -f web
    docker logs --tail 100 --since 5m web
  `,
  'kubectl get': `
    kubectl get pods
    kubectl get pods --context prod
    kubectl get pods -n kube-system -o wide
    kubectl get deploy app -o yaml
    kubectl get pods -l app=web --all-namespaces
    kubectl get pods --cluster prod
    kubectl get svc -w
    kubectl get secrets -n kube-system
    kubectl get pods -o jsonpath='{.items[*].metadata.name}'
    kubectl get events --sort-by=.lastTimestamp -A --no-headers
    ? kubectl get pods -v=9  # prints the requests
    ? kubectl get secret app -o yaml  # shows what is in it
    kubectl get pods -o jsonpath='{.items[*].metadata.name}'
  `,
  'kubectl logs': `
    kubectl logs -f deploy/app
    kubectl logs app --previous --tail=100 -c web
  `,
  'kubectl apply': `
    kubectl apply -f k8s/app.yaml
    ? kubectl apply -k k8s  # fetches what it names elsewhere
    kubectl apply -f k8s/app.yaml --dry-run=client
  `,
  'helm template': `
    helm template app . -f values.yaml
    helm template app . --set image.tag=1
  `,
  'terraform plan': `
    terraform plan
    terraform plan -var-file=dev.tfvars
    terraform plan -out=plan.out
  `,
  'gh pr': `
    gh pr list --state open
    gh pr view 12 --json title,body
    gh pr create --title x --body y
    gh pr diff 12
    gh pr checks 12 --watch
    ? gh pr view 12 --repo owner/name  # another repository
    ? gh pr checkout 12  # fetches the code of others
  `,
  psql: String.raw`
    psql -c 'select 1'
    psql -d app -c 'select count(*) from users'
    psql -h localhost -U app -d app -c '\dt'
    psql -Atc 'select now()' app
    psql -l
  `,
  sqlite3: `
    sqlite3 -safe data/app.db 'select * from users limit 5'
    sqlite3 data/app.db .schema
    sqlite3 -safe -header -column data/app.db 'select 1'
    ? sqlite3 data/app.db 'select 1'  # a view in it could run a program
  `,
  'sqlite3 data/app.db': `
    sqlite3 data/app.db 'select * from users limit 5'
  `,
  mysql: `
    mysql -e 'show tables' app
    mysql -u root app -e 'select 1'
  `,
  'redis-cli': `
    redis-cli ping
    redis-cli -n 2 keys 'a*'
  `,
  jq: `
    jq '.env' package.json
    jq '.env.NODE_ENV' package.json
    jq -r '.scripts | keys[]' package.json
    jq --arg v 1 '.version = $v' package.json
    jq '{env: .env, name}' package.json
    jq -c '.items[] | select(.input == "x")' data/a.json
    jq -s 'add' data/a.json
  `,
  sed: String.raw`
    sed 's/[^/]*$//' a.txt
    sed -n '1,20p' a.txt
    sed -E 's#(.*)/(.*)#\2#' a.txt
    sed 's/ *$//; s/^ *//' a.txt
    sed -e '/^#/d' -e '/^$/d' a.txt
    sed '$!N; s/\n/ /' a.txt
    sed 's|/x/|/y/|g' a.txt
    sed '/start/,/end/{/start/n;/end/!d}' a.txt
  `,
  'sed -i': `
    sed -i 's/foo/bar/g' src/app.ts
    sed -i '/TODO/d' src/app.ts
  `,
  awk: `
    awk '{print $1}' a.txt
    awk '{ print ($1 > 5 ? "big" : "small") }' a.txt
    awk '$3 > 100 { n++ } END { print n }' access.log
    awk '{ x = $1 > 5 ? "a" : "b"; print x }' a.txt
    awk -F: '{ s[$1] += $2 } END { for (k in s) print k, s[k] }' a.txt
    awk 'length($0) > 80 { print FILENAME ":" FNR }' a.txt
    ? awk '{ print | "sort" }' a.txt  # runs another program
  `,
  curl: `
    curl -s https://example.com
    curl -b a=b https://example.com
    curl --cookie 'session=1; x=2' https://example.com
    ? curl -sSL -o out/page.html https://example.com  # writes what another machine says
    curl -X POST -H 'Content-Type: application/json' -d '{"a":1}' http://localhost:3000/api
    curl -u user:pass http://localhost:3000
    curl -k https://localhost:8443/health
    curl -F name=value http://localhost:3000/form
    curl -w '%{http_code}' -o /dev/null -s http://localhost:3000
    ? curl --resolve example.com:443:127.0.0.1 https://example.com  # reaches another machine than the address says
  `,
  grep: String.raw`
    grep -rn foo src
    grep -rn --include='*.ts' 'import .* from' src
    grep -c foo a.txt
  `,
  find: `
    find . -name '*.ts' -newer a.txt
    find src -type f -size +10k
    ? find . -delete # not a search
  `,
  tar: `
    tar czf out.tgz src
    tar tzf out.tgz
    tar czf out.tgz --exclude='.env*' --exclude='*.key' --exclude=secret .
    ? tar czf out.tgz .  # secrets are among its files
    ? tar -C src -czf out.tgz .  # its files lie elsewhere than they seem
    ? tar xzf out.tgz # the archive names the files that are written
  `,
  'git commit': `
    git commit --allow-empty -s --author='A <a@example.com>' -m x
    git commit --fixup=HEAD --no-verify -q
    git commit -m 'fix: a'
    git commit --amend --no-edit
    git commit -am x
    git commit -F a.txt
  `,
  'git log': `
    git log --oneline -5
    git log --format='%h %s' main..HEAD
  `,
  'git push': `
    git push
    git push -u origin feature
    git push --force-with-lease
    git push --tags origin main
    git push -o ci.skip origin HEAD:main
    git push origin --delete feature
  `,
  'git pull': `
    git pull
    git pull --rebase --autostash origin main
    git pull --ff-only -q
  `,
  'git branch': `
    git branch -vv --sort=-committerdate
    git branch -d feature
    git branch -m old new
    git branch --set-upstream-to origin/main
    git branch --merged main
  `,
  'git tag': `
    git tag -a v1 -m 'Version 1'
    git tag --sort=-creatordate -n3
    git tag -d v1
    ? git tag -v v1  # starts the program that the repository names for signatures
  `,
  'git reset': `
    git reset -q a.txt
    git reset --soft HEAD~1
  `,
  'git checkout': `
    git checkout -b feature
    git checkout main
    git checkout -- src/app.ts
  `,
  rspec: `
    rspec -f d spec
  `,
  'swift test': `
    swift test --parallel --enable-code-coverage -v
    swift test --filter AppTests
  `,
  'flutter test': `
    flutter test --name 'adds two' --concurrency=4 --reporter expanded --no-pub
    flutter test test/app_test.dart
    flutter test --coverage
  `,
  'mix test': `
    mix test --stale --max-failures 1 --seed 0 --cover
    mix test
    mix test test/app_test.exs:12 --trace
  `,
  turbo: `
    turbo run build --force --concurrency=4 --output-logs=new-only --dry=json
    turbo run build --filter=web
    turbo run test --force
  `,
  nx: `
    nx run-many -t lint test --parallel=3 --skip-nx-cache --output-style=stream
    nx affected -t build --base=origin/main --head=HEAD --exclude=docs
    nx test web
    nx run-many -t build
    nx affected -t test --base=main
  `,
  'pip install': `
    pip install -r requirements.txt
    pip install -e .
    pip install requests==2.31.0
    pip install -U pip
  `,
  uv: `
    uv sync
    uv add requests
    uv pip install -r requirements.txt
    uv lock --upgrade
  `,
  terraform: `
    terraform validate
    terraform fmt -check
  `,
  rm: `
    rm -rf dist
    rm src/old.ts
  `,
  mkdir: `
    mkdir -p src/new/deep
  `,
  tsx: `
    tsx scripts/x.ts --output b
    tsx --tsconfig tsconfig.json scripts/x.ts
  `,
  'deno test': `
    deno test --filter adds --parallel --fail-fast --no-check src
    deno test --coverage=coverage --trace-leaks
    deno test
    ? deno test --allow-read src  # lifts the limits of deno
  `,
  'bun test': `
    bun test
    bun test --coverage src
    bun test -t name
  `,
  'npx mocha': `
    npx mocha
    npx mocha --recursive --reporter dot test
    npx mocha -R spec --timeout 10000 --exit
    npx mocha --grep 'adds (two)' --bail --retries=2
    npx mocha -g parser -b -t 5000 --parallel --jobs 4
    npx mocha 'test/**/*.{js,ts}' --extension ts --ignore 'test/fixtures/**'
    npx mocha --watch --watch-files src --check-leaks --forbid-only --no-color
  `,
  'npx c8': `
    npx c8 mocha --bail
    npx c8 --reporter=text --check-coverage --lines 90 vitest run
    npx c8 --all --include 'src/**' -x 'test/**' npm test
    ? npx c8 env  # another program
  `,
  'npx stylelint': `
    npx stylelint 'src/**/*.css' --fix --max-warnings 0 --quiet
    npx stylelint src --allow-empty-input --formatter string
  `,
  'npx esbuild': `
    npx esbuild src/app.ts --bundle --minify --sourcemap --platform=node --target=es2020 --external:react --outfile=dist/app.js
  `,
  'npm ls': `
    npm ls --depth=0 --all --json
    npm ls --omit=dev lodash
  `,
  'npm outdated': `
    npm outdated --long --json
  `,
  coverage: `
    coverage run -m pytest -q
    coverage report -m --skip-covered --fail-under=80
    coverage html -d htmlcov
  `,
  tox: `
    tox -e py312 -q --parallel auto
    tox -e lint -- --maxfail=1
    tox -r --skip-missing-interpreters -v
  `,
  nox: `
    nox -s tests-3.12 -R --verbose
    nox -l
  `,
  isort: `
    isort --check-only --diff --profile black src
  `,
  'go vet': `
    go vet -tags integration -copylocks=false ./...
  `,
  gradle: `
    gradle test --no-daemon --continue --rerun-tasks -q
    gradle build --parallel --max-workers=4 --build-cache --warning-mode all
  `,
  'dotnet build': `
    dotnet build -c Release --no-incremental -m:4 -clp:ErrorsOnly -warnaserror
  `,
  'git fetch': `
    git fetch --all --prune --tags -q
    git fetch origin main --depth=1
    git fetch origin refs/heads/main:refs/remotes/origin/main
  `,
  'git checkout -b': `
    git checkout -b feature
    git checkout -b feature -q --no-track origin/main
  `,
  'git switch -c': `
    git switch -c feature --quiet
    git switch -c feature origin/main --track
  `,
  'git mv': `
    git mv -v a.txt docs/moved.txt
  `,
  'git merge': `
    git merge --no-ff -m 'merge x' feature --no-edit
    git merge --squash -X theirs feature
  `,
  'git diff': `
    git diff --stat -w -U5 HEAD~1 -- src
  `,
  'docker ps': `
    docker ps -a --filter status=exited --format '{{.Names}}' --no-trunc
  `,
  shellcheck: `
    shellcheck scripts/x.sh
    shellcheck -s bash scripts/x.sh
  `,
};

const rows = Object.entries(everyday).flatMap(([program, text]) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [command = '', why] = line.replace(/^\? /, '').split(/ +# (?=[\w ,]+$)/);
      return { rule: `Bash(${program}:*)`, command, why, asks: line.startsWith('? ') };
    }),
);
const asked = rows.filter(({ asks }) => asks);

describe('a rule for the program', () => {
  for (const { row, options } of everyOtherIsQuick(rows.filter(({ asks }) => !asks)))
    test(`${row.rule} covers ${row.command}`, options, async () => {
      expect(await bash(row.command, [`allow ${row.rule}`])).toMatchObject({ behavior: 'allow' });
    });
  test.each(asked)('$rule does not cover $command: $why', async ({ rule, command }) => {
    expect(await bash(command, [`allow ${rule}`])).toMatchObject({ behavior: 'ask' });
  });
  test('few of these commands need approval, each for a stated reason', () => {
    expect(rows.length).toBeGreaterThan(300);
    expect(asked.length).toBeLessThan(rows.length / 12);
    expect(asked.filter(({ why }) => why === undefined)).toEqual([]);
  });
});
