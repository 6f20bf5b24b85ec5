package dev.weir.webflux;

import dev.weir.http.HttpRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.http.server.reactive.ServerHttpRequest;

/** The request of an exchange. Its user is known only if it was asked for before. */
final class ExchangeRequest implements HttpRequest {
    private final ServerHttpRequest request;
    private final String path;
    private volatile @Nullable String user;
    private volatile boolean isUserAskedFor;

    ExchangeRequest(ServerHttpRequest request) {
        this.request = request;
        path = path(request.getPath());
    }

    /*
     * Segments as Spring matches them: decoded, without parameters. A slash inside of one stays encoded, because it does not begin
     * another segment there.
     */
    private static String path(RequestPath path) {
        StringBuilder text = new StringBuilder();
        for (PathContainer.Element element : path.pathWithinApplication().elements()) {
            if (element instanceof PathContainer.PathSegment segment) {
                text.append(segment.valueToMatch().replace("/", "%2F"));
            } else {
                text.append(element.value());
            }
        }
        return text.toString();
    }

    @Override
    public String method() {
        return request.getMethod().name();
    }

    @Override
    public String path() {
        return path;
    }

    /* HttpHeaders is a map in Spring 6 and none in Spring 7: these two methods are the same in both. */
    @Override
    public List<String> header(String name) {
        HttpHeaders headers = request.getHeaders();
        if (headers.getFirst(name) == null) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, List<String>> each : headers.headerSet()) {
            if (each.getKey().equalsIgnoreCase(name)) {
                lines.addAll(each.getValue());
            }
        }
        return lines;
    }

    @Override
    public @Nullable String peer() {
        InetSocketAddress peer = request.getRemoteAddress();
        if (peer == null) {
            return null;
        }
        InetAddress address = peer.getAddress();
        return address == null ? peer.getHostString() : address.getHostAddress();
    }

    @Override
    public @Nullable String user() {
        isUserAskedFor = true;
        return user;
    }

    boolean isUserAskedFor() {
        return isUserAskedFor;
    }

    void user(@Nullable String name) {
        user = name;
    }
}
