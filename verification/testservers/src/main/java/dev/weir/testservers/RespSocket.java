package dev.weir.testservers;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** One connection to a server that speaks RESP, with commands of words. */
final class RespSocket implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;

    RespSocket(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(1_000);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** The answer of a server to one command, with the elements of an array one a line; empty if there is no server. */
    static String ask(int port, String command) {
        try (RespSocket socket = new RespSocket(port)) {
            return socket.ask(command);
        } catch (IOException e) {
            return "";
        }
    }

    String ask(String command) throws IOException {
        socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
        return reply();
    }

    private String reply() throws IOException {
        String line = line(in);
        int size = "$*".indexOf(line.charAt(0)) >= 0 ? Integer.parseInt(line.substring(1)) : -1;
        if (size < 0) {
            return line;
        }
        if (line.charAt(0) == '$') {
            String text = new String(in.readNBytes(size), StandardCharsets.UTF_8);
            in.skipNBytes(2);
            return text;
        }
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < size; i++) {
            all.append(reply()).append('\n');
        }
        return all.toString();
    }

    /** Up to CR LF. */
    static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int read = in.read(); read != '\n'; read = in.read()) {
            if (read < 0) {
                throw new EOFException();
            }
            if (read != '\r') {
                line.append((char) read);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
