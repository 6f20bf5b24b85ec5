/** What the limits of this process did in the last minutes, and what other settings would have done, for those who operate them. */
package dev.weir.named.recorder;
