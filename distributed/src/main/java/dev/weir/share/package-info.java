/** A quota divided between instances, each of which has a share of it, for users and for authors of registries. */
package dev.weir.share;
