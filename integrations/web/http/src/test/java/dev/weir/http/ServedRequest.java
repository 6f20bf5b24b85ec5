package dev.weir.http;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request as a server would give it. */
record ServedRequest(
        String method,
        String path,
        @Nullable String peer,
        @Nullable String user,
        Map<String, String> headers) implements HttpRequest {
    static ServedRequest get(String path) {
        return new ServedRequest("GET", path, "192.0.2.1", null, Map.of());
    }

    ServedRequest from(@Nullable String address) {
        return new ServedRequest(method, path, address, user, headers);
    }

    ServedRequest by(String other) {
        return new ServedRequest(other, path, peer, user, headers);
    }

    ServedRequest as(String name) {
        return new ServedRequest(method, path, peer, name, headers);
    }

    ServedRequest with(String header, String value) {
        return new ServedRequest(method, path, peer, user, Map.of(header, value));
    }

    @Override
    public List<String> header(String name) {
        String value = headers.get(name);
        return value == null ? List.of() : List.of(value);
    }
}
