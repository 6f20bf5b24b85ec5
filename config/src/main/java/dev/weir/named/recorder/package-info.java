/** The recorder of what limits do, for those who operate them and for previews of other settings. */
package dev.weir.named.recorder;
