package dev.weir.console;

import com.sun.net.httpserver.Headers;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rules that a request must keep before anything is done for it: it must name this server as its host, and one that changes
 * something must come from a page of this server. These keep the pages of other servers out, also those that have their own name
 * resolve to this machine.
 */
final class RequestRules {
    private static final List<String> LOOPBACK = List.of("127.0.0.1", "localhost", "[::1]");
    private static final String HTTP_PORT = ":80";
    private static final String HTTPS_PORT = ":443";

    /* In lower case, each with its port. */
    private final Set<String> hosts = new HashSet<>();

    /** Rules for the server at this port with these other names, with or without a port. */
    RequestRules(int port, Set<String> names) {
        LOOPBACK.forEach(host -> hosts.add(host + ":" + port));
        names.forEach(name -> hosts.add(lower(hasPort(name) ? name : name + ":" + port)));
    }

    private static boolean hasPort(String host) {
        return host.indexOf(':', host.lastIndexOf(']') + 1) >= 0;
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    /** Why the request is for another server; null = it is for this one. */
    @Nullable
    String wrongHost(Headers headers, URI target) {
        List<String> given = headers.get("Host");
        if (given == null || given.size() != 1 || !isOurs(given.get(0)) || target.getRawAuthority() != null) {
            return "Host must be a name of this console; others are allowed by Console.Builder.host";
        }
        return null;
    }

    private boolean isOurs(String host) {
        String name = lower(host);
        return hasPort(name)
                ? hosts.contains(name)
                : hosts.contains(name + HTTP_PORT) || hosts.contains(name + HTTPS_PORT);
    }

    /** Why the request to the API comes from a page of another server; null = it may be answered. */
    @Nullable
    String foreign(Headers headers, boolean changes) {
        String host = lower(String.valueOf(headers.getFirst("Host")));
        String site = headers.getFirst("Sec-Fetch-Site");
        // Browsers send it to addresses that they trust: loopback, and TLS. A form or a link of another page has
        // another value.
        boolean isTold = LOOPBACK.stream().anyMatch(name -> host.startsWith(name + ":"));
        if (site == null ? changes && isTold : !site.equals("same-origin") && (changes || !site.equals("none"))) {
            return "Sec-Fetch-Site must be same-origin";
        }
        if (!changes) {
            return null;
        }
        List<String> origin = headers.get("Origin");
        boolean isOwn = origin != null
                && origin.size() == 1
                && (lower(origin.get(0)).equals("http://" + host)
                        || lower(origin.get(0)).equals("https://" + host));
        return isOwn ? null : "Origin must be that of this console";
    }

    static @Nullable String cookie(Headers headers, String name) {
        return headers.getOrDefault("Cookie", List.of()).stream()
                .flatMap(line -> Stream.of(line.split(";", -1)))
                .map(String::strip)
                .filter(pair -> pair.startsWith(name + "="))
                .findFirst()
                .map(pair -> pair.substring(name.length() + 1))
                .orElse(null);
    }

    static boolean isJson(Headers headers) {
        List<String> types = headers.get("Content-Type");
        return types != null
                && types.size() == 1
                && lower(types.get(0)).replace(" ", "").matches("application/json(;charset=utf-8)?");
    }
}
