/** Servers with limits before them, ours beside those of the peers: for who compares what they cost. */
package dev.weir.edges;
