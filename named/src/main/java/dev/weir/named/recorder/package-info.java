/** A record of the last minutes of the limits of this process, and previews of other settings, for those who operate them. */
package dev.weir.named.recorder;
