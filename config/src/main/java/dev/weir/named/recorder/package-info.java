/** The recorder of what limits did in the last minutes, and previews of other settings, for those who operate them. */
package dev.weir.named.recorder;
