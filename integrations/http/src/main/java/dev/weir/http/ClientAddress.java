package dev.weir.http;

/** The address of a client, by the proxies that are trusted. */
public final class ClientAddress {
    private ClientAddress() {}
}
