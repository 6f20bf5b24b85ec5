package dev.weir.redis;

import java.util.List;
import java.util.Locale;

/** Draws what {@link NemesisLoad} has recorded as SVG: permits a second in bars, the faults behind them, the limit as a line. */
final class SeriesPicture {
    private static final int LEFT = 56;
    private static final int TOP = 34;
    private static final int HEIGHT = 200;
    private static final int BAR = 3;
    private static final String BY_REDIS = "#4878a8";
    private static final String HERE = "#e0a030";

    private final StringBuilder out = new StringBuilder();
    private final double most;

    private SeriesPicture(double most) {
        this.most = most;
    }

    /**
     * A picture.
     *
     * @param samples {@code millis,redis,local,fault}, one for each 100 ms
     * @param limit permits a second
     */
    static String of(List<String> samples, long limit) {
        SeriesPicture picture = new SeriesPicture(limit * 1.5);
        int width = samples.size() * BAR;
        picture.add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\""
                        + " font-size=\"11\"><rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>",
                LEFT + width + 12, TOP + HEIGHT + 40);
        picture.faults(samples);
        for (int i = 0; i < samples.size(); i++) {
            String[] values = samples.get(i).split(",", -1);
            double redis = Long.parseLong(values[1]) * 10.0;
            double local = Long.parseLong(values[2]) * 10.0;
            picture.bar(i, 0, redis, BY_REDIS);
            picture.bar(i, redis, local, HERE);
        }
        picture.axes(samples.size(), limit, width);
        return picture.out.append("</svg>\n").toString();
    }

    private void faults(List<String> samples) {
        String before = "";
        for (int i = 0; i < samples.size(); i++) {
            String fault = samples.get(i).split(",", -1)[3];
            if (!fault.isEmpty()) {
                add("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#f3dada\"/>", x(i), TOP, BAR, HEIGHT);
            }
            if (!fault.isEmpty() && !fault.equals(before)) {
                add("<text x=\"%d\" y=\"%d\" fill=\"#802020\">%s</text>", x(i), TOP - 6, fault);
            }
            before = fault;
        }
    }

    private void bar(int index, double from, double permits, String colour) {
        double height = Math.min(permits, Math.max(0, most - from)) / most * HEIGHT;
        add(
                "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"/>",
                x(index), y(from) - height, BAR - 1, height, colour);
    }

    private void axes(int count, long limit, int width) {
        add(
                "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#202020\" stroke-dasharray=\"6 4\"/>",
                LEFT, y(limit), LEFT + width, y(limit));
        add("<text x=\"4\" y=\"%.1f\">%d/s</text><text x=\"4\" y=\"%.1f\">0</text>", y(limit) + 4, limit, y(0));
        for (int second = 0; second * 10 < count; second += 5) {
            add("<text x=\"%d\" y=\"%d\">%d s</text>", x(second * 10), TOP + HEIGHT + 14, second);
        }
        add(
                "<text x=\"%d\" y=\"%d\"><tspan fill=\"%s\">&#9632;</tspan> granted by Redis   <tspan fill=\"%s\">&#9632;</tspan>"
                        + " granted by the instance's part   dashed: the limit   red: a fault</text>",
                LEFT, TOP + HEIGHT + 32, BY_REDIS, HERE);
    }

    private static int x(int index) {
        return LEFT + index * BAR;
    }

    private double y(double permits) {
        return TOP + HEIGHT - permits / most * HEIGHT;
    }

    private void add(String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
