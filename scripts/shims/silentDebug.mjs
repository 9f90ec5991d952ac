// Replaces the package `debug` that the proxy libraries use: it would write onto the screen whenever DEBUG is set for
// another program.
export default () => () => {};
