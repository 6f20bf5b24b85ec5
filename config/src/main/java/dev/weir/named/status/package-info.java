/** What names tell of themselves: state, events and reasons, for those who operate them. */
package dev.weir.named.status;
