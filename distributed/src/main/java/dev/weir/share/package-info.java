/** Limits that many instances share, for users and for authors of registries. */
package dev.weir.distributed;
