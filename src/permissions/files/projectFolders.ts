/** Names of folders and files by which packages and generated files of a project are known. */

import { isInstalledCode } from './protectedNames.ts';

/** True for the name of a folder with packages, which git ignores although programs run them. */
export const isDependency = (name: string): boolean =>
  packages.test(name) || (isInstalledCode(name) && !outputs.test(name));

/** Besides what is protected as installed code. */
const packages = /^(?:bower_components|jspm_packages|venv|vendor|\.yarn|\.bundle|lua_modules|_opam|Pods)$/;

/** A folder that contains it is a virtual environment of Python, whatever its name. */
export const VIRTUAL_ENVIRONMENT = 'pyvenv.cfg';

/** Folders with generated files, which are not read if git ignores them. */
export const outputs =
  /^(?:coverage|dist|build|out|target|\.next|\.nuxt|\.svelte-kit|\.cache|\.turbo|\.gradle|DerivedData)$/;

/** Caches that tools keep in a project, and make git ignore by a file in them. */
export const toolCaches = ['.pytest_cache', '.ruff_cache', '.mypy_cache', '.hypothesis'];

/** Files with variables, which hooks and tools load. */
export const environments = /^\.env(?:rc|\..*)?$|\.env$/;

/** Files that decide which packages are installed, or how they are loaded; some projects make git ignore them. */
export const manifests =
  /^(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|\.npmrc|pnpm-lock\.yaml|pnpm-workspace\.yaml|\.pnpmfile\.c?js|yarn\.lock|\.yarnrc(?:\.yml)?|\.pnp\..*|bun\.lockb?|bunfig\.toml|pyproject\.toml|uv\.(?:lock|toml)|poetry\.(?:lock|toml)|.*requirements.*\.txt)$/;
