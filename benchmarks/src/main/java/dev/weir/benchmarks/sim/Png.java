package dev.weir.benchmarks.sim;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import javax.imageio.ImageIO;

/** A canvas that becomes a PNG, at twice the size so that it is sharp. Needs no display, but a font. */
final class Png implements Canvas {
    private static final int SCALE = 2;

    private final BufferedImage image;
    private final Graphics2D graphics;

    Png(int width, int height) {
        image = new BufferedImage(SCALE * width, SCALE * height, BufferedImage.TYPE_INT_RGB);
        graphics = image.createGraphics();
        graphics.scale(SCALE, SCALE);
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, width, height);
    }

    @Override
    public void line(double fromX, double fromY, double toX, double toY, Pen pen) {
        take(pen);
        graphics.draw(new Line2D.Double(fromX, fromY, toX, toY));
    }

    @Override
    public void polyline(double[] xs, double[] ys, Pen pen) {
        take(pen);
        Path2D path = new Path2D.Double();
        path.moveTo(xs[0], ys[0]);
        for (int i = 1; i < xs.length; i++) {
            path.lineTo(xs[i], ys[i]);
        }
        graphics.draw(path);
    }

    @Override
    public void text(double x, double y, String text, int size, boolean bold, Anchor anchor) {
        graphics.setColor(new Color(0x222222));
        graphics.setFont(new Font(Font.SANS_SERIF, bold ? Font.BOLD : Font.PLAIN, size));
        double width = graphics.getFontMetrics().stringWidth(text);
        double shift = switch (anchor) {
            case START -> 0;
            case MIDDLE -> width / 2;
            case END -> width;
        };
        graphics.drawString(text, (float) (x - shift), (float) y);
    }

    private void take(Pen pen) {
        graphics.setColor(new Color(pen.colour()));
        float[] dashes = pen.dashed() ? new float[] {6, 4} : null;
        graphics.setStroke(
                new BasicStroke((float) pen.width(), BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 10, dashes, 0));
    }

    /** Writes it and lets go of it. */
    void write(OutputStream out) throws IOException {
        graphics.dispose();
        ImageIO.write(image, "png", out);
    }
}
