/**
 * The packages with programs or native code, which the bundle loads from `node_modules`; everything else is part of it. The
 * build bundles no other package from there, and commands may not write these.
 */
export const OWN_PACKAGES: readonly string[] = ['@vscode/ripgrep', '@napi-rs/keyring'];
