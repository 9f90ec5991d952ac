/** Names of folders and files by which packages and generated files of a project are known. */

/** Folders with packages, which git ignores although programs run them. */
export const dependencies =
  /^(?:node_modules|bower_components|jspm_packages|__pypackages__|\.?venv|vendor|\.yarn|\.bundle)$/;

/** A folder that contains it is a virtual environment of Python, whatever its name. */
export const VIRTUAL_ENVIRONMENT = 'pyvenv.cfg';

/** Folders with generated files, which are not read if git ignores them. */
export const outputs =
  /^(?:coverage|dist|build|out|target|\.next|\.nuxt|\.svelte-kit|\.cache|\.turbo|\.gradle|\.tox|DerivedData)$/;

/** Files that decide which packages are installed, or how they are loaded; some projects make git ignore them. */
export const manifests =
  /^(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|\.npmrc|pnpm-lock\.yaml|pnpm-workspace\.yaml|\.pnpmfile\.c?js|yarn\.lock|\.yarnrc(?:\.yml)?|\.pnp\..*|bun\.lockb?|bunfig\.toml|pyproject\.toml|uv\.(?:lock|toml)|poetry\.(?:lock|toml)|.*requirements.*\.txt)$/;
