package dev.weir.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request to a server, as limits read it. A server's adapter gives it; routes and keys only read it. It must answer while the
 * request is served, also to another thread, and must not block.
 */
public interface HttpRequest {
    /** The method, such as {@code GET}. */
    String method();

    /**
     * The path inside the application, as the server routes by it: decoded, without parameters, starting with a slash. A route that
     * compared another form than the server does could be passed by.
     */
    String path();

    /** The lines of a header, in their order; empty if it has none. The case of the name does not matter. */
    List<String> header(String name);

    /** The address of the peer of the connection, as text; null = none. */
    @Nullable
    String peer();

    /** The name of the user, as the server has authenticated it; null = no user. */
    @Nullable
    String user();
}
