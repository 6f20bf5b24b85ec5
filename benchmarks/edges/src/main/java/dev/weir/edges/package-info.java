/** What limits before a server cost, ours beside those of the peers: for who compares them. */
package dev.weir.edges;
