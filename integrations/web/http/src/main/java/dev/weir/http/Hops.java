package dev.weir.http;

import dev.weir.http.ClientAddress.Header;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The hops that a request has passed, as its header lines say, from the last one to the first. Trusted proxies write at the
 * end, so texts are read from there: what is to the left, which the client may have written, cannot change what is read before
 * it, with an open quote for example.
 */
final class Hops {
    private static final String FOR = "for=";

    private final Header header;
    private final List<String> lines;
    private int line;
    private String text = "";
    private int end;
    private String element = "";

    Hops(Header header, @Nullable List<String> lines) {
        this.header = header;
        this.lines = lines == null ? List.of() : lines;
        line = this.lines.size();
    }

    /** Goes to the next hop, further from this server; false if there is none. */
    boolean next() {
        do {
            while (end <= 0) {
                if (line == 0) {
                    return false;
                }
                line--;
                String given = lines.get(line);
                text = given == null ? "" : given;
                end = text.length();
            }
            int comma = lastOutsideQuotes(text, end, ',');
            element = text.substring(comma + 1, end).strip();
            end = comma;
        } while (element.isEmpty());
        return true;
    }

    /** The address of this hop; null if it has none. */
    byte @Nullable [] address() {
        String node = header == Header.FORWARDED ? node() : element;
        return node == null ? null : Address.parse(node);
    }

    private int lastOutsideQuotes(String in, int before, char separator) {
        boolean isQuoted = false;
        for (int i = before - 1; i >= 0; i--) {
            char c = in.charAt(i);
            if (c == '"' && header == Header.FORWARDED && (i == 0 || in.charAt(i - 1) != '\\')) {
                isQuoted = !isQuoted;
            } else if (c == separator && !isQuoted) {
                return i;
            }
        }
        return -1;
    }

    /** The value of the only {@code for}; null if there is none, or several. */
    private @Nullable String node() {
        String node = null;
        int pairEnd = element.length();
        while (pairEnd > 0) {
            int semicolon = lastOutsideQuotes(element, pairEnd, ';');
            String pair = element.substring(semicolon + 1, pairEnd).strip();
            pairEnd = semicolon;
            if (pair.regionMatches(true, 0, FOR, 0, FOR.length())) {
                if (node != null) {
                    return null;
                }
                node = pair.substring(FOR.length());
            }
        }
        return node;
    }
}
