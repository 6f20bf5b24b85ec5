/** What an operation costs beside many keys, tenants or waiters: as much as beside few. */
package dev.weir.verification.growth;
