package dev.weir.benchmarks.sim;

import java.util.Locale;

/** A canvas that becomes the text of an SVG. */
final class Svg implements Canvas {
    private final StringBuilder out = new StringBuilder();

    Svg(int width, int height) {
        out.append(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"DejaVu Sans, Verdana, sans-serif\">%n<rect width=\"100%%\""
                        + " height=\"100%%\" fill=\"#ffffff\"/>%n",
                width, height, width, height));
    }

    @Override
    public void line(double fromX, double fromY, double toX, double toY, Pen pen) {
        out.append(format(
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>%n", fromX, fromY, toX, toY, style(pen)));
    }

    @Override
    public void polyline(double[] xs, double[] ys, Pen pen) {
        out.append("<polyline fill=\"none\" stroke-linejoin=\"round\" ")
                .append(style(pen))
                .append(" points=\"");
        for (int i = 0; i < xs.length; i++) {
            out.append(format(i == 0 ? "%.1f,%.1f" : " %.1f,%.1f", xs[i], ys[i]));
        }
        out.append("\"/>\n");
    }

    @Override
    public void text(double x, double y, String text, int size, boolean bold, Anchor anchor) {
        out.append(format(
                "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" fill=\"#222222\" text-anchor=\"%s\"%s>%s</text>%n",
                x,
                y,
                size,
                anchor.name().toLowerCase(Locale.ROOT),
                bold ? " font-weight=\"bold\"" : "",
                text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")));
    }

    private static String style(Pen pen) {
        return format("stroke=\"#%06x\" stroke-width=\"%.1f\"", pen.colour(), pen.width())
                + (pen.dashed() ? " stroke-dasharray=\"6 4\"" : "");
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern.replace("%n", "\n"), values);
    }

    @Override
    public String toString() {
        return out + "</svg>\n";
    }
}
