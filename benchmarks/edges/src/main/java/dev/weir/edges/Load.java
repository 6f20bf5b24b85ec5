package dev.weir.edges;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The client, a process of its own. It reads lines of a port and a number of batches, sends their requests by one connection,
 * pipelined, and writes a line when all are answered with 200.
 */
final class Load {
    /*
     * Two batches are under way, so that the server finds the next one when it has answered the last: it neither waits for the client
     * nor is woken for each request.
     */
    static final int BATCH = 32;

    private static final byte[] REQUESTS =
            "GET /work HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n".repeat(BATCH).getBytes(StandardCharsets.US_ASCII);
    private static final byte[] GOOD = "HTTP/1.1 200".getBytes(StandardCharsets.US_ASCII);
    /** The last bytes of each response: the end of its head, and its body. */
    private static final byte[] END = "\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);

    private final InputStream in;
    private final OutputStream out;
    private final byte[] buffer = new byte[1 << 16];
    private int at;
    private int end;

    private Load(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = socket.getInputStream();
        out = socket.getOutputStream();
    }

    public static void main(String... args) throws IOException {
        Map<Integer, Load> connections = new HashMap<>();
        try (BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                int space = order.indexOf(' ');
                int port = Integer.parseInt(order.substring(0, space));
                Load load = connections.get(port);
                if (load == null) {
                    load = new Load(port);
                    connections.put(port, load);
                }
                load.ask(Integer.parseInt(order.substring(space + 1)));
                System.out.println("done");
                System.out.flush();
            }
        }
    }

    private void ask(int batches) throws IOException {
        out.write(REQUESTS);
        for (int batch = 1; batch <= batches; batch++) {
            if (batch < batches) {
                out.write(REQUESTS);
            }
            for (int i = 0; i < BATCH; i++) {
                response();
            }
        }
    }

    private void response() throws IOException {
        for (byte expected : GOOD) {
            if (next() != expected) {
                throw new IOException("a request was not answered with 200");
            }
        }
        int matched = 0;
        while (matched < END.length) {
            int next = next();
            matched = next == END[matched] ? matched + 1 : next == END[0] ? 1 : 0;
        }
    }

    private int next() throws IOException {
        if (at == end) {
            at = 0;
            end = in.read(buffer);
            if (end < 0) {
                throw new IOException("the server has closed the connection");
            }
        }
        return buffer[at++];
    }
}
