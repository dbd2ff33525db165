/** Builds all WebAssembly that the service links: published codecs and its own kernels. */
import './build-codecs.ts';
import './build-kernels.ts';
