/** The state of names, their events and the reasons for what is in force, for those who operate them. */
package dev.weir.named.status;
