// The package `debug` as the proxy libraries use it: it would write into the screen wherever DEBUG is set for
// something else.
export default () => () => {};
