package dev.weir.http;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request that was refused.
 *
 * @param status 429, 503, 400 or 401
 * @param fields of the response, by name
 * @param body of the type {@code application/problem+json}, in ASCII; null = none
 */
public record HttpRejection(
        int status, Map<String, String> fields, @Nullable String body) {
    /**
     * The name of the attribute that a request has, in servers with attributes, if it is answered for a limit that refused it. What
     * stands before takes it as {@link dev.weir.Outcome#IGNORED}: the answer says nothing about its own load.
     */
    public static final String ATTRIBUTE = "dev.weir.http.refused";

    /** Copies the fields. */
    public HttpRejection {
        fields = Map.copyOf(fields);
    }
}
