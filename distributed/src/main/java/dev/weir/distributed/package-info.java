/** For users of limits that many instances share, and for authors of registries. */
package dev.weir.distributed;
