/** Limits by name, which code declares, caps, overrides and watches, whatever puts settings in force, for all who ask and operate. */
package dev.weir.named;
