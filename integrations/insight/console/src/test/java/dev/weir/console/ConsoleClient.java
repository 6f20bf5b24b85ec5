package dev.weir.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A page of a console as plain requests by HTTP/1.1, each on a connection of its own: a browser would mend what tests forge. */
final class ConsoleClient {
    private final int port;
    private @Nullable String cookie;
    private @Nullable String check;

    ConsoleClient(URI uri) {
        port = uri.getPort();
    }

    /** An answer: its status code, its headers in lower case, its body. */
    record Response(int status, Map<String, String> headers, String body) {
        /** The value of a text or number of the outermost object, as it is written. */
        String field(String name) {
            return field(name, false);
        }

        /** The same of the first or of the last such field. */
        String field(String name, boolean isLast) {
            String quoted = "\"" + name + "\":";
            int at = (isLast ? body.lastIndexOf(quoted) : body.indexOf(quoted)) + quoted.length();
            String rest = body.substring(at);
            return rest.startsWith("\"")
                    ? rest.substring(1, rest.indexOf('"', 1))
                    : rest.substring(0, Math.min(end(rest, ','), end(rest, '}')));
        }

        private static int end(String text, char c) {
            int at = text.indexOf(c);
            return at < 0 ? text.length() : at;
        }
    }

    /** Shows the token in the file, as the page does. */
    ConsoleClient login(java.nio.file.Path tokenFile) throws IOException {
        Response answer = post(
                "api/session", "{\"token\":\"" + Files.readString(tokenFile).strip() + "\"}");
        cookie = answer.headers().get("set-cookie").split(";", -1)[0];
        check = answer.field("check");
        return this;
    }

    Response get(String path) throws IOException {
        return send("GET", path, headers(), "");
    }

    Response post(String path, String body) throws IOException {
        Map<String, String> headers = headers();
        headers.put("Origin", "http://127.0.0.1:" + port);
        headers.put("Content-Type", "application/json");
        if (check != null) {
            headers.put("X-Weir-Token", check);
        }
        return send("POST", path, headers, body);
    }

    /** The headers of a page of the console itself. */
    Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Host", "127.0.0.1:" + port);
        headers.put("Sec-Fetch-Site", "same-origin");
        if (cookie != null) {
            headers.put("Cookie", cookie);
        }
        return headers;
    }

    Response send(String method, String path, Map<String, String> headers, String body) throws IOException {
        try (Socket socket = connect()) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            Map<String, String> all = new LinkedHashMap<>(headers);
            all.putIfAbsent("Connection", "close");
            if (bytes.length > 0) {
                all.putIfAbsent("Content-Length", "" + bytes.length);
            }
            OutputStream out = socket.getOutputStream();
            out.write(head(method, path, all).getBytes(StandardCharsets.ISO_8859_1));
            out.write(bytes);
            return read(socket.getInputStream());
        }
    }

    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(30_000);
        return socket;
    }

    static String head(String method, String path, Map<String, String> headers) {
        StringBuilder head = new StringBuilder(method + " /" + path + " HTTP/1.1\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        return head.append("\r\n").toString();
    }

    static Response read(InputStream in) throws IOException {
        String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            return new Response(0, Map.of(), text);
        }
        String[] lines = text.substring(0, end).split("\r\n");
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = 1; i < lines.length; i++) {
            String[] pair = lines[i].split(": ", 2);
            headers.put(pair[0].toLowerCase(Locale.ROOT), pair[1]);
        }
        return new Response(Integer.parseInt(lines[0].split(" ", -1)[1]), headers, text.substring(end + 4));
    }
}
