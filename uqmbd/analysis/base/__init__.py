"""What every room of analysis needs: columns of outputs, streams of random numbers, sizes of numbers."""
